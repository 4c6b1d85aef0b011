{{- define "indelible.services" -}}
gateway stamping chain-indexer storage verification notifications
{{- end }}

{{- define "indelible.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (default .Chart.Name .Values.nameOverride) .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "indelible.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{/* Of (dict "root" $ "component" name). */}}
{{- define "indelible.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "indelible.labels" -}}
{{ include "indelible.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: indelible
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* The settings of one service over the defaults, as YAML. Of (dict "root" $ "name" name). */}}
{{- define "indelible.settings" -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (index .root.Values.services .name)) | toYaml }}
{{- end }}

{{/* Whether a list of words, such as "gateway storage", has a name: (list name "gateway storage"). */}}
{{- define "indelible.isOneOf" -}}
{{- if has (index . 0) (splitList " " (index . 1)) }}true{{ end }}
{{- end }}

{{/*
What the jobs need exists before the release does: a hook at an installation. Afterwards it is an ordinary resource of the release, which takes
it over by these marks of ownership.
*/}}
{{- define "indelible.beforeJobs" -}}
{{- if .Release.IsInstall }}
helm.sh/hook: pre-install
helm.sh/hook-weight: '-20'
{{- end }}
meta.helm.sh/release-name: {{ .Release.Name }}
meta.helm.sh/release-namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "indelible.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "indelible.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "indelible.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* With its namespace: KEDA, which watches lag, is in another. */}}
{{- define "indelible.trialKafkaHost" -}}
{{ include "indelible.fullname" . }}-kafka.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "indelible.kafkaBrokers" -}}
{{- if .Values.trial.enabled }}{{ include "indelible.trialKafkaHost" . }}:9092{{ else }}{{ required "kafka.brokers is required" (join "," .Values.kafka.brokers) }}{{ end }}
{{- end }}

{{/* A topic as it is called on the brokers: (list $ name). The public one has a prefix of its own behind that of all topics. */}}
{{- define "indelible.topicName" -}}
{{- (index . 0).Values.kafka.topicPrefix }}{{ index . 1 }}
{{- end }}

{{- define "indelible.publicTopicPrefix" -}}
{{- .Values.kafka.topicPrefix }}indelible.
{{- end }}

{{/* All topics with their names on the brokers, as YAML: partitions, retentionMs, public, deadLetters. */}}
{{- define "indelible.topics" -}}
{{- $root := . }}
{{- range .Files.Get "files/topics.yaml" | fromYamlArray }}
{{- $name := include "indelible.topicName" (list $root .name) }}
- { name: {{ $name }}, partitions: {{ .partitions }}, retentionMs: {{ .retentionMs | quote }}, public: {{ .public | default false }}, deadLetters: false }
{{- if not .public }}
- { name: {{ $name }}.dead-letter, partitions: 1, retentionMs: {{ .retentionMs | quote }}, public: false, deadLetters: true }
{{- end }}
{{- end }}
{{- end }}

{{- define "indelible.registryUrl" -}}
{{- if .Values.trial.enabled }}http://{{ include "indelible.fullname" . }}-registry:8080/apis/ccompat/v7{{ else }}{{ required "kafka.schemaRegistryUrl is required" .Values.kafka.schemaRegistryUrl }}{{ end }}
{{- end }}

{{- define "indelible.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}{{ else if .Values.trial.enabled }}http://127.0.0.1:8080{{ else }}{{ fail "publicUrl is required: the address that clients use" }}{{ end }}
{{- end }}

{{/* The Secret of one purpose: that of the values, or the trial's own. Of (dict "root" $ "of" "redis"). */}}
{{- define "indelible.secretName" -}}
{{- if .root.Values.trial.enabled }}{{ include "indelible.fullname" .root }}-trial{{ else }}{{ (index .root.Values.secrets .of).name }}{{ end }}
{{- end }}

{{- define "indelible.secretKey" -}}
{{- if .root.Values.trial.enabled }}{{ .of }}{{ else }}{{ (index .root.Values.secrets .of).key }}{{ end }}
{{- end }}

{{/* A variable from one key of a Secret. Of (dict "root" $ "variable" V "of" "redis" "key" optional). */}}
{{- define "indelible.secretVariable" -}}
{{- $name := include "indelible.secretName" . }}
{{- if $name }}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ $name }}, key: {{ .key | default (include "indelible.secretKey" .) }} } }
{{- end }}
{{- end }}

{{- define "indelible.plainVariables" -}}
{{- range $variable, $value := . }}
- name: {{ $variable }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "indelible.secretVariables" -}}
{{- range $variable, $from := . }}
- name: {{ $variable }}
  valueFrom: { secretKeyRef: { name: {{ $from.name }}, key: {{ $from.key }} } }
{{- end }}
{{- end }}

{{/* Where the keys of lanes are; a trial has the operator's seed. */}}
{{- define "indelible.signerKind" -}}
{{- ternary "operatorSeed" .Values.signer.kind .Values.trial.enabled }}
{{- end }}

{{/* The keys of lanes as settings, as YAML. */}}
{{- define "indelible.signerVariables" -}}
{{- $kind := include "indelible.signerKind" . }}
{{- if eq $kind "operatorSeed" }}
OPERATOR_SEED_FILE: /run/indelible/secrets/operatorSeed
{{- else }}
OPERATOR_ADDRESS: {{ required "signer.operatorAddress is required: the address of the operator, to whom accounts grant" .Values.signer.operatorAddress | quote }}
{{- if eq $kind "laneSeed" }}
LANE_SEED_FILE: /run/indelible/secrets/laneSeed
{{- else }}
LANE_KMS_KEYS: {{ required "signer.kmsKeys is required: a key of AWS KMS for each lane" (join "," .Values.signer.kmsKeys) | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The volume with the seed that these settings name; none with KMS. */}}
{{- define "indelible.seedVolume" -}}
{{- $kind := include "indelible.signerKind" . }}
{{- if ne $kind "kms" }}
- name: seed
  secret:
    secretName: {{ include "indelible.secretName" (dict "root" . "of" $kind) }}
    # a seed that others may read is refused
    defaultMode: 0440
    items: [{ key: {{ include "indelible.secretKey" (dict "root" . "of" $kind) }}, path: {{ $kind }} }]
{{- end }}
{{- end }}

{{/* Where content is, as YAML. */}}
{{- define "indelible.blobVariables" -}}
BLOB_STORE: {{ .Values.blobStore.kind }}
{{- if eq .Values.blobStore.kind "gcs" }}
GCS_BUCKET: {{ required "blobStore.gcs.bucket is required" .Values.blobStore.gcs.bucket | quote }}
{{- with .Values.blobStore.gcs.prefix }}
GCS_PREFIX: {{ . | quote }}
{{- end }}
{{- else }}
BLOB_STORE_DIRECTORY: /var/lib/indelible/blobs
{{- end }}
{{- end }}

{{- define "indelible.blobClaim" -}}
{{ .Values.blobStore.local.existingClaim | default (printf "%s-blobs" (include "indelible.fullname" .)) }}
{{- end }}

{{- define "indelible.contractVariable" -}}
- name: CONTRACT_ADDRESS
{{- if .Values.trial.enabled }}
  # The trial's job writes it when everything is provisioned: until then the pod does not start.
  valueFrom: { configMapKeyRef: { name: {{ include "indelible.fullname" . }}-contract, key: address } }
{{- else }}
  value: {{ required "chain.contractAddress is required: run `indelible contract deploy` once" .Values.chain.contractAddress | quote }}
{{- end }}
{{- end }}

{{/* What a later variable of the same name replaces is left out: (list plain, plain, …) merged, the last wins. */}}
{{- define "indelible.environment" -}}
{{- $root := .root }}{{ $name := .name }}{{ $settings := .settings }}
{{- $internal := printf "http://%s" (include "indelible.fullname" $root) }}
{{- $given := mergeOverwrite (deepCopy $root.Values.env) (deepCopy $settings.env) }}
{{- $givenSecret := mergeOverwrite (deepCopy $root.Values.secretEnv) (deepCopy $settings.secretEnv) }}
{{- $own := dict
  "INTERNAL_HOST" "0.0.0.0"
  "INTERNAL_PORT" "8100"
  "CHAIN_ID" (printf "%d" (int64 $root.Values.chain.id))
  "KAFKA_BROKERS" (include "indelible.kafkaBrokers" $root)
  "SCHEMA_REGISTRY_URL" (include "indelible.registryUrl" $root)
  "TOPIC_PREFIX" $root.Values.kafka.topicPrefix }}
{{- if include "indelible.isOneOf" (list $name "gateway notifications") }}{{ $_ := set $own "PUBLIC_URL" (include "indelible.publicUrl" $root) }}{{ end }}
{{- if include "indelible.isOneOf" (list $name "gateway stamping verification") }}{{ $_ := set $own "INDEXER_URL" (printf "%s-chain-indexer:8100" $internal) }}{{ end }}
{{- if eq $name "gateway" }}
{{- $_ := set $own "VERIFICATION_URL" (printf "%s-verification:8100" $internal) }}
{{- $_ := set $own "STAMPING_URL" (printf "%s-stamping:8100" $internal) }}
{{- $_ := set $own "STORAGE_URL" (printf "%s-storage:8100" $internal) }}
{{- $_ := set $own "NOTIFICATIONS_URL" (printf "%s-notifications:8100" $internal) }}
{{- end }}
{{- if eq $name "storage" }}{{ $_ := set $own "STAMPING_URL" (printf "%s-stamping:8100" $internal) }}{{ end }}
{{- if eq $name "notifications" }}{{ $_ := set $own "PUBLIC_TOPIC_PREFIX" (include "indelible.publicTopicPrefix" $root) }}{{ end }}
{{- if eq $name "chain-indexer" }}{{ $_ := set $own "START_BLOCK" (printf "%d" (int64 $root.Values.chain.startBlock)) }}{{ end }}
{{- if eq $name "stamping" }}{{ $own = merge $own (include "indelible.signerVariables" $root | fromYaml) }}{{ end }}
{{- if eq $name "verification" }}
{{- $_ := set $own "SPOOL_DIRECTORY" "/var/spool/indelible" }}
{{- /* Its memory stays flat under large lists (docs/hot-path.md, Memory or time). */}}
{{- $_ := set $own "NODE_OPTIONS" "--max-semi-space-size=8" }}
{{- end }}
{{- if include "indelible.isOneOf" (list $name "gateway storage") }}{{ $own = merge $own (include "indelible.blobVariables" $root | fromYaml) }}{{ end }}
{{- include "indelible.plainVariables" (mergeOverwrite $own $given) }}
{{ include "indelible.contractVariable" $root }}
{{- include "indelible.secretVariable" (dict "root" $root "variable" "DATABASE_URL" "of" "database" "key" $name) }}
{{- include "indelible.secretVariable" (dict "root" $root "variable" "INTERNAL_TOKEN" "of" "internalToken") }}
{{- if include "indelible.isOneOf" (list $name "gateway stamping storage") }}
{{- include "indelible.secretVariable" (dict "root" $root "variable" "REDIS_URL" "of" "redis") }}
{{- end }}
{{- if include "indelible.isOneOf" (list $name "stamping chain-indexer") }}
{{- include "indelible.secretVariable" (dict "root" $root "variable" "RPC_URL" "of" "rpc") }}
{{- end }}
{{- if eq $name "notifications" }}
{{- include "indelible.secretVariable" (dict "root" $root "variable" "WEBHOOK_SEALING_KEYS" "of" "webhookSealingKeys") }}
{{- end }}
{{- include "indelible.secretVariables" $givenSecret }}
{{- end }}
