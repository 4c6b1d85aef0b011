# Stands in for the official Node image: the base of deploy/Dockerfile.
FROM indelible-standin/root
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
 && chmod 755 /usr/local/lib/node_modules/npm/bin/*-cli.js \
 && node --version && npm --version
# npm trusts what the machine trusts
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]
