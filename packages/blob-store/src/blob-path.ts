import { InvalidBlobPathError } from './errors.ts';

/** The longest segment a file system takes, and the longest name a GCS object may have, in bytes. */
const maxSegmentBytes = 255;
const maxPathBytes = 1_024;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const forbidden = /[\u0000-\u001f\u007f\\]/;

/**
 * The segments of a stored path; none can leave the store.
 * @throws InvalidBlobPathError
 */
export function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/');
  const valid =
    path.isWellFormed() && Buffer.byteLength(path) <= maxPathBytes && segments.every((segment) => isSegment(segment));
  if (!valid) throw new InvalidBlobPathError('the path has a segment that cannot be stored');
  return segments;
}

const isSegment = (segment: string): boolean =>
  segment !== '' &&
  segment !== '.' &&
  segment !== '..' &&
  Buffer.byteLength(segment) <= maxSegmentBytes &&
  !forbidden.test(segment);

/** @throws InvalidBlobPathError if not a lower-case UUID */
export function checkStagedId(stagedId: string): string {
  if (!uuid.test(stagedId)) throw new InvalidBlobPathError('a staged id is a lower-case UUID');
  return stagedId;
}
