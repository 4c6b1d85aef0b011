import { type Checksums, checkClaims, checksumsOf } from './checksums.ts';
import { checkPreconditions } from './preconditions.ts';
import { invalid, noSuchBucket, noSuchObject, Refusal } from './refusal.ts';

/** A client's description of an object, beside content. */
export type Description = {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
};

/** An object of one generation: immutable, and replaced as a whole by another generation. */
export type StoredObject = Description &
  Checksums & {
    readonly bucket: string;
    readonly name: string;
    readonly content: Buffer;
    readonly generation: number;
    readonly metageneration: 1;
    readonly createdAt: string;
  };

/** Size of an object, an upload, or a bucket beside its content. */
const OVERHEAD = 2_048;

/** The memory limit of all content; over it: 413, which no client retries. */
export class Room {
  #left: number;
  constructor(bytes: number) {
    this.#left = bytes;
  }
  take(bytes: number): void {
    if (bytes + OVERHEAD > this.#left) throw new Refusal(413, 'uploadTooLarge', 'The emulator has no room for that.');
    this.#left -= bytes + OVERHEAD;
  }
  give(bytes: number): void {
    this.#left += bytes + OVERHEAD;
  }
}

/** Buckets and their objects, in memory. Nothing here is asynchronous, so each operation is atomic. */
export class Objects {
  readonly #buckets = new Map<string, Map<string, StoredObject>>();
  readonly #room: Room;
  #generation = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  createBucket(name: string): void {
    if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(name)) throw invalid(`Invalid bucket name: '${name}'`);
    if (this.#buckets.has(name)) throw new Refusal(409, 'conflict', 'The requested bucket name is not available.');
    this.#room.take(0);
    this.#buckets.set(name, new Map());
  }

  /** The living object, or undefined. Throws a 404 when there is no such bucket. */
  find(bucket: string, name: string): StoredObject | undefined {
    return this.#bucket(bucket).get(name);
  }

  /** Throws a 404 when there is no such object, or it is of another generation than requested. */
  get(bucket: string, name: string, generation?: number): StoredObject {
    const found = this.find(bucket, name);
    if (found === undefined || (generation !== undefined && generation !== found.generation))
      throw noSuchObject(bucket, name);
    return found;
  }

  /** Stores or replaces content under a name, if the conditions hold and the client's claims match. */
  put(
    place: { readonly bucket: string; readonly name: string; readonly conditions: URLSearchParams },
    content: Buffer,
    description: Description,
    ...claims: readonly Partial<Checksums>[]
  ): StoredObject {
    const { bucket, name, conditions } = place;
    const objects = this.#bucket(bucket);
    const replaced = objects.get(name);
    checkName(name);
    checkPreconditions(conditions, replaced);
    const checksums = checksumsOf(content);
    checkClaims(checksums, ...claims);
    this.#room.take(content.length);
    if (replaced !== undefined) this.#room.give(replaced.content.length);
    // Microseconds, as Google's are, and never twice the same.
    this.#generation = Math.max(this.#generation + 1, Date.now() * 1_000);
    const [generation, createdAt] = [this.#generation, new Date().toISOString()];
    const put = {
      ...description,
      ...checksums,
      bucket,
      name,
      content,
      generation,
      metageneration: 1,
      createdAt,
    } as const;
    objects.set(name, put);
    return put;
  }

  delete(object: StoredObject): void {
    this.#bucket(object.bucket).delete(object.name);
    this.#room.give(object.content.length);
  }

  /** All objects of a bucket in the order of their names, as the bytes of UTF-8 compare. */
  list(bucket: string): StoredObject[] {
    return [...this.#bucket(bucket).values()].sort((one, other) => compareNames(one.name, other.name));
  }

  #bucket(name: string): Map<string, StoredObject> {
    const found = this.#buckets.get(name);
    if (found === undefined) throw noSuchBucket();
    return found;
  }
}

export const compareNames = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Throws a 400 for names that Google does not accept. */
export function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > 1_024 || /[\r\n]/.test(name) || name === '.' || name === '..')
    throw invalid('Invalid object name');
}

/** The object as the API describes it. */
export function resourceOf(object: StoredObject): Record<string, unknown> {
  const { bucket, name, content, contentType, metadata, crc32c, md5Hash, createdAt } = object;
  const generation = String(object.generation);
  return {
    ...{ kind: 'storage#object', id: `${bucket}/${name}/${generation}`, bucket, name, generation, metageneration: '1' },
    ...{ contentType, storageClass: 'STANDARD', size: String(content.length), crc32c, md5Hash },
    ...{ etag: etagOf(object), timeCreated: createdAt, updated: createdAt },
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export const etagOf = (object: StoredObject): string => Buffer.from(`${object.generation}/1`).toString('base64');
