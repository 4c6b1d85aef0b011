# Debian with what the stand-ins share, as mmdebstrap made it.
FROM scratch
ADD root.tar /
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node \
 && useradd --uid 70 --user-group --home-dir /var/lib/postgresql --create-home postgres
# a pod's first process, where a cluster uses this image for it
CMD ["sleep", "infinity"]
