FROM indelible-standin/root
COPY postgres /opt/postgres
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN chmod -R a+rX /opt/postgres && chmod 755 /opt/postgres/bin/* /usr/local/bin/docker-entrypoint.sh && mkdir -p /docker-entrypoint-initdb.d \
 && install --directory --owner=postgres --group=postgres --mode=3775 /var/run/postgresql
VOLUME /var/lib/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
