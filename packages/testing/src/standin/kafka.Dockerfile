FROM indelible-standin/root
COPY kafka /opt/kafka
COPY kafka-entrypoint.sh /usr/local/bin/kafka-entrypoint.sh
RUN chmod 755 /usr/local/bin/kafka-entrypoint.sh && mkdir -p /var/lib/kafka/data && chown -R 1000:1000 /var/lib/kafka
USER 1000:1000
VOLUME /var/lib/kafka/data
ENTRYPOINT ["kafka-entrypoint.sh"]
