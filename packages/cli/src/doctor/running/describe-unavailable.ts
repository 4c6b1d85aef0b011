import { BlobStoreRefusedError, BlobStoreUnavailableError } from '@indelible/blob-store';
import { isRpcError } from '@indelible/ethereum';
import { UnavailableError } from '@indelible/service-runtime';

/** What could not be read and why, in one line. */
export function describeUnavailable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.message.replaceAll(/\s*\n\s*/g, ' ').trim() || error.name;
  if (error instanceof UnavailableError) return text;
  if (isRpcError(error)) return `the chain (RPC_URL): ${text}`;
  if (error instanceof BlobStoreUnavailableError || error instanceof BlobStoreRefusedError)
    return `the blob store (BLOB_STORE): ${text}`;
  return text;
}
