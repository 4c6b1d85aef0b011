#!/usr/bin/env bash
# As much of the official image's entrypoint as our files use. Like that one it hands the server's arguments to its temporary server as well,
# reaches it where psql looks by itself (/var/run/postgresql, whatever PGHOST is), and takes a folder of data for initialised once it has a
# version, although a start before may have failed after that.
set -Eeuo pipefail
data=/var/lib/postgresql/18/docker
sockets=/var/run/postgresql
mkdir -p "$data"
chmod 700 "$data" || :
mkdir -p "$sockets" || :
chmod 3775 "$sockets" || :
if [ "$(id -u)" = 0 ]; then
  find "$data" "$sockets" \! -user postgres -exec chown postgres '{}' +
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
export PATH=/opt/postgres/bin:$PATH
if [ ! -s "$data/PG_VERSION" ]; then
  # shellcheck disable=SC2086
  initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") $POSTGRES_INITDB_ARGS -D "$data"
  # what the official programs are built with
  printf "listen_addresses = '*'\nunix_socket_directories = '%s'\n" "$sockets" >> "$data/postgresql.conf"
  printf '\nhost all all all scram-sha-256\n' >> "$data/pg_hba.conf"
  export PGPASSWORD="${PGPASSWORD:-$POSTGRES_PASSWORD}"
  arguments=("${@:2}")
  pg_ctl -D "$data" -o "$(printf '%q ' "${arguments[@]}" -c 'listen_addresses=' -p "${PGPORT:-5432}")" -w start
  if [ "$POSTGRES_DB" != postgres ]; then
    PGHOST="" psql -v ON_ERROR_STOP=1 --no-psqlrc --no-password -U "$POSTGRES_USER" -d postgres -c "CREATE DATABASE \"$POSTGRES_DB\""
  fi
  for file in /docker-entrypoint-initdb.d/*.sh; do
    # shellcheck disable=SC1090
    [ ! -e "$file" ] || . "$file"
  done
  pg_ctl -D "$data" -m fast -w stop
fi
shift
exec postgres -D "$data" "$@"
