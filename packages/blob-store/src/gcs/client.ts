import { type Bucket, Storage, type StorageOptions } from '@google-cloud/storage';
import { startCrc32c } from '../crc32c.ts';

/** How long GCS may take. */
export type Patience = {
  /** For one HTTP request. */
  readonly requestMs: number;
  /** For an operation with its retries, and for any progress of an upload or a download. */
  readonly operationMs: number;
  /** Retries of one request, with growing pauses. */
  readonly maxRetries: number;
};

export const defaultPatience: Patience = { requestMs: 15_000, operationMs: 60_000, maxRetries: 3 };

const probeMs = 3_000;

/** The bucket, and the same bucket for readiness: one brief request. Nothing is sent before the first use. */
export function createClients(options: {
  readonly bucket: string;
  readonly apiEndpoint?: string;
  readonly patience: Patience;
}): { readonly bucket: Bucket; readonly probed: Bucket; readonly probeMs: number } {
  const { requestMs, operationMs, maxRetries } = options.patience;
  // With a custom address no credentials are sent: it is for emulators, which have no project either.
  const place: StorageOptions =
    options.apiEndpoint === undefined ? {} : { apiEndpoint: options.apiEndpoint, projectId: 'emulator' };
  const common: StorageOptions = { ...place, crc32cGenerator };
  const storage = new Storage({
    ...common,
    timeout: requestMs,
    retryOptions: { autoRetry: true, maxRetries, totalTimeout: operationMs / 1_000, maxRetryDelay: 8 },
  });
  const prober = new Storage({ ...common, timeout: probeMs, retryOptions: { autoRetry: false, maxRetries: 0 } });
  return { bucket: storage.bucket(options.bucket), probed: prober.bucket(options.bucket), probeMs };
}

/** Native CRC32C for the client's checks: several times faster than its own. */
function crc32cGenerator() {
  const checksum = startCrc32c();
  const text = (): string => crc32cText(checksum.value);
  return {
    update: (data: Buffer): void => checksum.update(data),
    validate: (value: string): boolean => value === text(),
    toString: text,
  };
}

/** As GCS writes it: four bytes, the highest first, in base64. */
function crc32cText(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.toString('base64');
}

/** The inverse of `crc32cText`; undefined if not a CRC32C. */
export function parseCrc32c(text: string | undefined): number | undefined {
  const bytes = Buffer.from(text ?? '', 'base64');
  return bytes.length === 4 ? bytes.readUInt32BE() : undefined;
}
