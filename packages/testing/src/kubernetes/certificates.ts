import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { API_SERVICE, API_URL, CONTROL_PLANE, nodePlaces } from './topology.ts';

type Names = { readonly dns: readonly string[]; readonly ip: readonly string[] };
type Holder = { readonly name: string; readonly group?: string; readonly at?: Names };

/** Certificate holders: common name, group, and served names. */
const holders: Readonly<Record<string, Holder>> = {
  apiserver: {
    name: 'kube-apiserver',
    at: {
      dns: ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost'],
      ip: ['127.0.0.1', API_SERVICE, CONTROL_PLANE],
    },
  },
  admin: { name: 'admin', group: 'system:masters' },
  'apiserver-kubelet': { name: 'apiserver-kubelet', group: 'system:masters' },
  'front-proxy': { name: 'front-proxy' },
  controllers: { name: 'system:kube-controller-manager' },
  scheduler: { name: 'system:kube-scheduler' },
  proxy: { name: 'system:kube-proxy' },
  ...Object.fromEntries(
    nodePlaces.map(({ name, address }) => [
      name,
      { name: `system:node:${name}`, group: 'system:nodes', at: { dns: [name], ip: [address] } },
    ]),
  ),
};

/** What serves beside the cluster. */
const besideHolder: Holder = { name: 'localhost', at: { dns: ['localhost'], ip: ['127.0.0.1', CONTROL_PLANE] } };

/**
 * Makes `ca.crt`, the key `sa.key` of service accounts, and for each holder `NAME.crt`, `NAME.key` and the client's configuration `NAME.conf`,
 * and the folder `beside` with the certificate of what serves beside the cluster. All of them end within a day.
 */
export async function writeCertificates(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 });
  const now = Date.now();
  const common = {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + 86_400_000),
  } as const;
  const authority = await generate([{ name: 'commonName', value: 'cluster' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
    ],
  });
  await write('ca.crt', authority.cert);
  await write('ca.key', authority.private);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await write('sa.key', privateKey.export({ type: 'sec1', format: 'pem' }).toString());
  const issue = ({ name, group, at }: Holder) => {
    const subject = [
      ...(group === undefined ? [] : [{ name: 'organizationName', value: group }]),
      { name: 'commonName', value: name },
    ];
    return generate(subject, {
      ...common,
      ca: { key: authority.private, cert: authority.cert },
      extensions: [
        { name: 'keyUsage', digitalSignature: true },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        ...(at === undefined ? [] : [{ name: 'subjectAltName' as const, altNames: alternativeNames(at) }]),
      ],
    });
  };
  for (const [file, holder] of Object.entries(holders)) {
    const made = await issue(holder);
    await write(`${file}.crt`, made.cert);
    await write(`${file}.key`, made.private);
    await write(`${file}.conf`, clientConfiguration(folder, file));
  }
  const beside = await issue(besideHolder);
  await mkdir(join(folder, 'beside'));
  await write('beside/ca.crt', authority.cert);
  await write('beside/tls.crt', beside.cert);
  await write('beside/tls.key', beside.private);
}

function alternativeNames({ dns, ip }: Names) {
  return [...dns.map((value) => ({ type: 2 as const, value })), ...ip.map((ip) => ({ type: 7 as const, ip }))];
}

function clientConfiguration(folder: string, file: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'cluster',
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: file } }],
    clusters: [{ name: 'cluster', cluster: { server: API_URL, 'certificate-authority': join(folder, 'ca.crt') } }],
    users: [
      {
        name: file,
        user: { 'client-certificate': join(folder, `${file}.crt`), 'client-key': join(folder, `${file}.key`) },
      },
    ],
  });
}
