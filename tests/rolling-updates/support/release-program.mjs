// Run by a release's own Node: provisions servers as that release does, or only says how its services are started. One line of JSON.
const { root, addresses, provisioned, dataDir, secretsDir, topicPrefix, publicTopic, ports } = JSON.parse(
  process.argv[2],
);
const { provision } = await import(`${root}/packages/launcher/src/provision.ts`);
const { entryOf, environmentOf, nodeFlagsOf } = await import(`${root}/packages/launcher/src/service-table.ts`);

const given =
  provisioned ?? (await provision(addresses, { dataDir, secretsDir, topicPrefix, publicTopic, onStep: () => {} }));
const settings = {
  ...addresses,
  ...given,
  ports,
  topicPrefix,
  publicTopicPrefix: publicTopic.prefix,
  blobDirectory: `${dataDir}/blobs`,
};
const services = ['gateway', 'stamping', 'chain-indexer', 'storage', 'verification', 'notifications'];
const programs = Object.fromEntries(
  services.map((name) => [
    name,
    { words: [...nodeFlagsOf(name), entryOf(name)], environment: environmentOf(name, settings) },
  ]),
);
process.stdout.write(JSON.stringify({ provisioned: given, programs }));
