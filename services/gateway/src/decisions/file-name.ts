import { setImmediate as turn } from 'node:timers/promises';
import { faultOfText, type Hex } from '@indelible/identifiers';
import { createJsonScan, isSpace } from '../json/json-scan.ts';

const maxBytes = 255;

/** Why a given file name is invalid (docs/interface.md, Stored files); other names are kept byte for byte. */
export function faultOfFileName(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  const fault = faultOfText(name);
  if (fault !== undefined) return fault;
  if (Buffer.byteLength(name) > maxBytes) return `must be at most ${maxBytes} bytes of UTF-8`;
  if (/[/\\]/.test(name)) return 'must not contain path separators';
  if (name === '.' || name === '..') return 'must not be . or ..';
  return undefined;
}

const [openBracket, openBrace] = [0x5b, 0x7b];
/** Bytes scanned per turn of the event loop. */
const bytesATurn = 128 * 1024;

/** The name of inline data without a given one: its CID, with `json` for a JSON object or array, `txt` otherwise. */
export async function nameOfData(cid: Hex, data: Buffer): Promise<string> {
  const scan = createJsonScan();
  let begun = false;
  for (let at = 0; at < data.length; at += bytesATurn) {
    if (at > 0) await turn();
    const piece = data.subarray(at, at + bytesATurn);
    if (!begun) {
      const first = piece.find((byte) => !isSpace(byte));
      if (first !== undefined && first !== openBracket && first !== openBrace) return `${cid}.txt`;
      begun = first !== undefined;
    }
    if (!scan.write(piece)) return `${cid}.txt`;
  }
  return `${cid}.${scan.end() === 'container' ? 'json' : 'txt'}`;
}
