#!/bin/bash
# As much of the official image's entrypoint as our files use: KAFKA_A_B=x is the setting a.b=x.
set -euf
properties=/var/tmp/server.properties
env | grep '^KAFKA_' | grep -vE '^KAFKA_(HEAP_OPTS|OPTS)=' | while IFS='=' read -r name value; do
  echo "$(echo "${name#KAFKA_}" | tr 'A-Z_' 'a-z.')=$value"
done > $properties
# shellcheck disable=SC2206
java=(java ${KAFKA_HEAP_OPTS:-} -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/kafka/*')
[ -s "$KAFKA_LOG_DIRS/meta.properties" ] ||
  "${java[@]}" kafka.tools.StorageTool format -t 4L6g3nShT-eMCtK--X86sw -c $properties --ignore-formatted
exec "${java[@]}" kafka.Kafka $properties
