import { faultOfText, type Hex } from '@indelible/identifiers';

const maxBytes = 255;

/** What is wrong with a file name that was given (decisions, Stored files); other names are kept byte for byte. */
export function faultOfFileName(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  const fault = faultOfText(name);
  if (fault !== undefined) return fault;
  if (Buffer.byteLength(name) > maxBytes) return `must be at most ${maxBytes} bytes of UTF-8`;
  if (/[/\\]/.test(name)) return 'must not contain path separators';
  if (name === '.' || name === '..') return 'must not be . or ..';
  return undefined;
}

/** The name of inline data that was given none: its CID, with `json` for a JSON object or array, `txt` otherwise. */
export const nameOfData = (cid: Hex, data: Buffer): string => `${cid}.${isJsonContainer(data) ? 'json' : 'txt'}`;

function isJsonContainer(data: Buffer): boolean {
  const text = data.toString('utf8');
  if (!/^[ \t\r\n]*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
