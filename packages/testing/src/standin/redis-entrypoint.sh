#!/bin/sh
# As much of the official image's entrypoint as our files use: root becomes the user redis, and a server without a password is reachable.
set -eu
if [ "$(id -u)" = 0 ]; then exec setpriv --reuid=redis --regid=redis --init-groups "$0" "$@"; fi
[ "$1" != redis-server ] || set -- "$@" --protected-mode no
exec "$@"
