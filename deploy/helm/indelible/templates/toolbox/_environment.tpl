{{/* What commands read: where everything is, the keys of lanes, and the seed of accounts' keys. */}}
{{- define "indelible.toolboxEnvironment" -}}
{{- $toolbox := .Values.toolbox }}
{{- $internal := printf "http://%s" (include "indelible.fullname" .) }}
{{- $own := dict
  "CHAIN_ID" (printf "%d" (int64 .Values.chain.id))
  "START_BLOCK" (printf "%d" (int64 .Values.chain.startBlock))
  "KAFKA_BROKERS" (include "indelible.kafkaBrokers" .)
  "SCHEMA_REGISTRY_URL" (include "indelible.registryUrl" .)
  "TOPIC_PREFIX" .Values.kafka.topicPrefix
  "PUBLIC_TOPIC_PREFIX" (include "indelible.publicTopicPrefix" .)
  "PUBLIC_URL" (include "indelible.publicUrl" .)
  "GATEWAY_INTERNAL_URL" (printf "%s-gateway:8100" $internal)
  "STAMPING_URL" (printf "%s-stamping:8100" $internal)
  "INDEXER_URL" (printf "%s-chain-indexer:8100" $internal)
  "STORAGE_URL" (printf "%s-storage:8100" $internal)
  "VERIFICATION_URL" (printf "%s-verification:8100" $internal)
  "NOTIFICATIONS_URL" (printf "%s-notifications:8100" $internal) }}
{{- $own = merge $own (include "indelible.signerVariables" . | fromYaml) (include "indelible.blobVariables" . | fromYaml) }}
{{- with index .Values.services.stamping.env "LANES" }}{{ $_ := set $own "LANES" . }}{{ end }}
{{- if include "indelible.secretName" (dict "root" . "of" "custodySeed") }}{{ $_ := set $own "CUSTODY_SEED_FILE" "/run/indelible/secrets/custodySeed" }}{{ end }}
{{- include "indelible.plainVariables" (mergeOverwrite $own .Values.env $toolbox.env) }}
{{ include "indelible.contractVariable" . }}
{{- if .Values.trial.enabled }}
- name: OPERATOR_ADDRESS
  valueFrom: { configMapKeyRef: { name: {{ include "indelible.fullname" . }}-contract, key: operator } }
{{- end }}
{{- include "indelible.secretVariable" (dict "root" . "variable" "DATABASE_URL" "of" "database" "key" $toolbox.databaseKey) }}
{{- include "indelible.secretVariable" (dict "root" . "variable" "INTERNAL_TOKEN" "of" "internalToken") }}
{{- include "indelible.secretVariable" (dict "root" . "variable" "RPC_URL" "of" "rpc") }}
{{- include "indelible.secretVariables" (mergeOverwrite (dict) .Values.secretEnv $toolbox.secretEnv) }}
{{- end }}
