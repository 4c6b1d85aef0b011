/**
 * Provisions a trial: roles of the database and tables, topics and schemas, the contract, and a first account. What is there already stays as it is. The contract's address
 * goes into the release's ConfigMap, without which no service starts; the first account and its key into its Secret.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { promisify } from 'node:util';

const { RELEASE, NAMESPACE, SERVICES, ADMINISTRATOR_URL } = process.env;
const run = promisify(execFile);
const account = '/var/run/secrets/kubernetes.io/serviceaccount';

async function indelible(args, environment = {}) {
  const { stdout, stderr } = await run(process.execPath, ['packages/cli/src/main.ts', '--json', ...args], {
    env: { ...process.env, ...environment },
  });
  process.stderr.write(stderr);
  return stdout;
}

/** A request to the API server; resolves with the object. */
function api(method, path, object) {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: process.env.KUBERNETES_SERVICE_HOST,
        port: process.env.KUBERNETES_SERVICE_PORT,
        method,
        path: `/api/v1/namespaces/${NAMESPACE}/${path}`,
        ca: readFileSync(`${account}/ca.crt`),
        headers: {
          authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8')}`,
          'content-type': 'application/merge-patch+json',
        },
      },
      async (response) => {
        const text = (await response.toArray()).join('');
        if (response.statusCode < 300) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path}: status ${response.statusCode}: ${text}`));
      },
    );
    call.on('error', reject);
    call.end(object === undefined ? undefined : JSON.stringify(object));
  });
}

console.log(await indelible(['provision', 'database', '--close-to-others'], { DATABASE_URL: ADMINISTRATOR_URL }));
// one after the other: each is a process of its own, and the memory of this job is bounded
for (const service of SERVICES.split(' ')) console.log(await indelible(['migrate', service]));
console.log(await indelible(['provision', 'topics', '--replication', '1']));
console.log((await run(process.execPath, ['packages/cli/src/fund-main.ts'])).stdout);
const { contract, operator } = JSON.parse(await indelible(['contract', 'deploy']));
const addresses = { CONTRACT_ADDRESS: contract, OPERATOR_ADDRESS: operator };
console.log(addresses, await indelible(['lanes', 'add'], addresses));

const secret = `secrets/${RELEASE}-first-account`;
if ((await api('GET', secret)).data?.['api-key'] === undefined) {
  const opened = JSON.parse(
    await indelible(
      ['accounts', 'create', '--name', 'First account', '--email', 'first@example.com', '--wait', '0'],
      addresses,
    ),
  );
  await api('PATCH', secret, { stringData: { address: opened.address, 'api-key': opened.apiKey } });
}

await api('PATCH', `configmaps/${RELEASE}-contract`, { data: { address: contract, operator } });
