import {
  checksumAddress,
  faultOfText,
  type Hex,
  isZeroCid,
  parseCollectionName,
  receiptTime,
} from '@indelible/identifiers';

const maxNameBytes = 255;
const maxExtensionBytes = 32;
/** Number of hex digits of the CID in the name, by attempt. */
const cidDigits = [0, 8, 16, 32, 64] as const;
/** 9999-12-31T23:59:59Z: later years need five digits. */
const maxSeconds = 253_402_300_799;

/**
 * Why a file cannot be stored under a given name, or undefined (docs/interface.md, Stored files). The gateway refuses
 * such names; they are checked again here, since a name becomes part of a path.
 */
export function faultOfFileName(fileName: string): string | undefined {
  const fault = faultOfText(fileName);
  if (fault !== undefined) return fault;
  if (fileName === '' || fileName === '.' || fileName === '..') return 'is no name';
  if (Buffer.byteLength(fileName) > maxNameBytes) return `has more than ${maxNameBytes} bytes`;
  if (/[/\\]/.test(fileName)) return 'has separators';
  return undefined;
}

/** Splits off the extension: the 1 to 32 bytes after the last dot, if something precedes it. */
export function splitName(fileName: string): { readonly base: string; readonly extension: string | undefined } {
  const dot = fileName.lastIndexOf('.');
  const extension = fileName.slice(dot + 1);
  const bytes = Buffer.byteLength(extension);
  if (dot < 1 || bytes < 1 || bytes > maxExtensionBytes) return { base: fileName, extension: undefined };
  return { base: fileName.slice(0, dot), extension };
}

/** The longest prefix of `text` within `bytes` bytes of UTF-8 that cuts no character. */
export function cutAtCharacter(text: string, bytes: number): string {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/**
 * `<base>_<YYYY-MM-DD>_<HH-MM-SS>+0000.<ext>`, at most 255 bytes.
 * @param digits of the CID between base and time: 0 in the plain name
 */
export function storedName(
  file: { readonly fileName: string; readonly blockTime: number; readonly objectCid: Hex },
  digits: number,
): string {
  const { base, extension } = splitName(file.fileName);
  const time = receiptTime(file.blockTime).slice(0, 19).replace('T', '_').replaceAll(':', '-');
  const distinction = digits === 0 ? '' : `_${file.objectCid.slice(2, 2 + digits)}`;
  const suffix = `${distinction}_${time}+0000${extension === undefined ? '' : `.${extension}`}`;
  return `${cutAtCharacter(base, maxNameBytes - Buffer.byteLength(suffix))}${suffix}`;
}

/** `stamped` has confirmed content, `non_confirmed` content that could not be stamped (docs/interface.md, Stored files). */
export type FolderKind = 'stamped' | 'non_confirmed';

export type PlacedFile = {
  readonly fileName: string;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
  /** Null without a collection; a set whose name is unknown is a folder by its CID. */
  readonly collectionName: string | null;
  /** From the receipt, in seconds since 1970; from the request without a receipt. */
  readonly blockTime: number;
};

export type StoredPath = { readonly fileName: string; readonly filePath: string };

/**
 * The paths a file may get, in order of preference: a later one only when all before hold other content.
 * @returns or the permanent fault in the file's facts
 */
export function candidatePaths(
  file: PlacedFile,
  kind: FolderKind = 'stamped',
): readonly StoredPath[] | { readonly fault: string } {
  const nameFault = faultOfFileName(file.fileName);
  if (nameFault !== undefined) return { fault: `the file's name ${nameFault}` };
  if (file.blockTime < 0 || file.blockTime > maxSeconds)
    return { fault: 'the receipt has no time of four-digit years' };
  const folder = folderOf(file, kind);
  if (typeof folder !== 'string') return folder;
  return cidDigits.map((digits) => {
    const fileName = storedName(file, digits);
    return { fileName, filePath: `${folder}/${fileName}` };
  });
}

function folderOf(file: PlacedFile, kind: FolderKind): string | { readonly fault: string } {
  const account = checksumAddress(file.account);
  if (isZeroCid(file.setCid)) return `${account}/${kind}`;
  const name = file.collectionName ?? file.setCid;
  const parsed = parseCollectionName(name);
  if ('fault' in parsed) return { fault: `the collection's name ${parsed.fault}` };
  return `${account}/collections/${name}/${kind}`;
}
