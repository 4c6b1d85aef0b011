import { generate } from 'selfsigned';

/** A self-signed certificate for 127.0.0.1, with its key; made for the test and stored nowhere. */
export async function loopbackCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + 86_400_000),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}
