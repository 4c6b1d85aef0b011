import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1';

/** How the server treats every request: normally, or with a fault of AWS KMS. */
export type KmsMood =
  | 'well'
  /** Accepts requests, and answers nothing. */
  | 'silent'
  /** Cuts the connection. */
  | 'gone'
  | 'ThrottlingException'
  | 'KMSInternalException'
  | 'DisabledException'
  | 'AccessDeniedException';

export type TestKms = {
  /** What an AWS client is configured by. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a key for signing, of this private key or a random one. */
  createKey(keyId: string, privateKey?: Uint8Array): void;
  /** Makes a key that is not for signing transactions. */
  createForeignKey(keyId: string): void;
  become(mood: KmsMood): void;
  /** Requests that came, by operation. */
  readonly requests: Readonly<Record<'GetPublicKey' | 'Sign', number>>;
  stop(): Promise<void>;
};

const spkiOfSecp256k1 = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');
const spkiOfP256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Speaks as much of AWS KMS (JSON 1.1 over HTTP) as a signer of transactions uses: GetPublicKey and Sign of a digest,
 * in the forms that KMS has: DER, each signature another one, and the higher s in half of them. Requests are not
 * authenticated.
 */
export async function testKms(): Promise<TestKms> {
  const keys = new Map<string, Uint8Array | 'foreign'>();
  const requests = { GetPublicKey: 0, Sign: 0 };
  let mood: KmsMood = 'well';
  let signatures = 0;

  const answer = (operation: string, body: Record<string, string>): Record<string, unknown> => {
    const key = keys.get(body.KeyId ?? '');
    if (key === undefined) throw new KmsFault('NotFoundException', `Key '${body.KeyId}' does not exist`);
    if (operation === 'GetPublicKey') {
      const spki = key === 'foreign' ? [spkiOfP256, randomBytes(65)] : [spkiOfSecp256k1, pointOf(key)];
      return { KeyId: body.KeyId, KeyUsage: 'SIGN_VERIFY', PublicKey: Buffer.concat(spki).toString('base64') };
    }
    const digest = Buffer.from(body.Message ?? '', 'base64');
    if (key === 'foreign' || body.MessageType !== 'DIGEST' || body.SigningAlgorithm !== 'ECDSA_SHA_256')
      throw new KmsFault('InvalidKeyUsageException', 'not for this');
    if (digest.length !== 32) throw new KmsFault('ValidationException', 'Digest is invalid length for algorithm');
    signatures += 1;
    const { signature } = signRecoverable(digest, key, randomBytes(32));
    return { KeyId: body.KeyId, Signature: derOf(signature, signatures % 2 === 0).toString('base64') };
  };

  const server = createServer((request, response) => {
    void (async () => {
      const body = (await json(request)) as Record<string, string>;
      const operation = operationOf(request);
      if (operation === 'GetPublicKey' || operation === 'Sign') requests[operation] += 1;
      if (mood === 'silent') return;
      if (mood === 'gone') return void request.socket.destroy();
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      try {
        if (mood !== 'well') throw new KmsFault(mood, 'as the test has it');
        response.end(JSON.stringify(answer(operation, body)));
      } catch (error) {
        if (!(error instanceof KmsFault)) throw error;
        response.statusCode = error.type === 'KMSInternalException' ? 500 : 400;
        response.end(JSON.stringify({ __type: error.type, message: error.message }));
      }
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    environment: {
      AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
    createKey: (keyId, privateKey = randomBytes(32)) => void keys.set(keyId, privateKey),
    createForeignKey: (keyId) => void keys.set(keyId, 'foreign'),
    become(next) {
      mood = next;
      // Waiting clients would go on waiting.
      if (next !== 'silent') server.closeAllConnections();
    },
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

class KmsFault extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

const operationOf = ({ headers }: IncomingMessage): string =>
  String(headers['x-amz-target']).replace('TrentService.', '');

const pointOf = (privateKey: Uint8Array): Uint8Array => pointFromScalar(privateKey, false) as Uint8Array;

function derOf(signature: Uint8Array, isHigh: boolean): Buffer {
  const r = BigInt(`0x${Buffer.from(signature.subarray(0, 32)).toString('hex')}`);
  const low = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`);
  const integers = Buffer.concat([integerOf(r), integerOf(isHigh ? order - low : low)]);
  return Buffer.concat([Buffer.from([0x30, integers.length]), integers]);
}

function integerOf(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const signed = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, signed.length]), signed]);
}
