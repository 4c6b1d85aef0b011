FROM indelible-standin/root
COPY anvil cast /usr/local/bin/
RUN chmod 755 /usr/local/bin/anvil /usr/local/bin/cast
USER 1000:1000
ENTRYPOINT ["/bin/sh", "-c"]
