{{/* Who logs in to the trial's database: `indelible provision database` makes their roles. */}}
{{- define "indelible.trialDatabaseUsers" -}}
{{ include "indelible.services" . }} operator reader
{{- end }}

{{/* What belongs to data in volumes outlives the release, as they do. */}}
{{- define "indelible.trialKept" -}}
{{- if .Values.trial.persistence.enabled -}}
annotations: { helm.sh/resource-policy: keep }
{{- end }}
{{- end }}

{{/* One server of a trial: a StatefulSet of one pod with its Service. Of (dict "root" $ "name" n "port" p "uid" u "spec" containers-yaml "data" mountPath). */}}
{{- define "indelible.trialServer" -}}
{{- $root := .root }}
{{- $labels := dict "root" $root "component" .name }}
{{- $persistence := $root.Values.trial.persistence }}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "indelible.fullname" $root }}-{{ .name }}
  labels: {{- include "indelible.labels" $labels | nindent 4 }}
spec:
  selector: {{- include "indelible.selectorLabels" $labels | nindent 4 }}
  ports: [{ name: {{ .name }}, port: {{ .port }}, targetPort: {{ .port }} }]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "indelible.fullname" $root }}-{{ .name }}
  labels: {{- include "indelible.labels" $labels | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "indelible.selectorLabels" $labels | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports: [{ port: {{ .port }} }]
      from:
        - podSelector:
            matchLabels:
              app.kubernetes.io/instance: {{ $root.Release.Name }}
              app.kubernetes.io/part-of: indelible
  egress:
    - ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }, { port: 5353, protocol: UDP }]
    {{- with .reaches }}
    - ports: [{ port: {{ .port }} }]
      to:
        - podSelector:
            matchLabels: {{- include "indelible.selectorLabels" (dict "root" $root "component" .name) | nindent 14 }}
    {{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "indelible.fullname" $root }}-{{ .name }}
  labels: {{- include "indelible.labels" $labels | nindent 4 }}
spec:
  replicas: 1
  serviceName: {{ include "indelible.fullname" $root }}-{{ .name }}
  selector:
    matchLabels: {{- include "indelible.selectorLabels" $labels | nindent 6 }}
  template:
    metadata:
      # not the version: an upgrade of the services leaves the servers running
      labels:
        {{- include "indelible.selectorLabels" $labels | nindent 8 }}
        app.kubernetes.io/part-of: indelible
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 45
      securityContext:
        runAsNonRoot: true
        runAsUser: {{ .uid }}
        runAsGroup: {{ .uid }}
        fsGroup: {{ .uid }}
        seccompProfile: { type: RuntimeDefault }
      {{- include "indelible.pullSecrets" $root | nindent 6 }}
      containers: {{- .containers | nindent 8 }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 256Mi }
        {{- with .volumes }}{{ . | nindent 8 }}{{ end }}
        {{- if and .data (not $persistence.enabled) }}
        - name: data
          emptyDir: { sizeLimit: {{ $persistence.size }} }
        {{- end }}
  {{- if and .data $persistence.enabled }}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        {{- with $persistence.storageClassName }}
        storageClassName: {{ . | quote }}
        {{- end }}
        resources: { requests: { storage: {{ $persistence.size }} } }
  {{- end }}
{{- end }}
