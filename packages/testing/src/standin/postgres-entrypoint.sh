#!/bin/sh
# As much of the official image's entrypoint as our files use.
set -eu
data=/var/lib/postgresql/18/docker
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$data"
  chown -R postgres:postgres /var/lib/postgresql
  chmod 700 "$data"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
export PATH=/opt/postgres/bin:$PATH
if [ ! -s "$data/PG_VERSION" ]; then
  mkdir -p "$data"
  chmod 700 "$data"
  password=$(mktemp)
  printf %s "$POSTGRES_PASSWORD" > "$password"
  # shellcheck disable=SC2086
  initdb --username="$POSTGRES_USER" --pwfile="$password" $POSTGRES_INITDB_ARGS -D "$data"
  rm "$password"
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  PGPASSWORD=$POSTGRES_PASSWORD PGHOST=/tmp
  export PGPASSWORD PGHOST
  pg_ctl -D "$data" -o "-c listen_addresses='' -k /tmp" -w start
  [ "$POSTGRES_DB" = postgres ] || psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d postgres -c "CREATE DATABASE \"$POSTGRES_DB\""
  for file in /docker-entrypoint-initdb.d/*.sh; do
    # shellcheck disable=SC1090
    [ ! -e "$file" ] || . "$file"
  done
  pg_ctl -D "$data" -m fast -w stop
fi
shift
exec postgres -D "$data" -k /tmp -c listen_addresses='*' "$@"
