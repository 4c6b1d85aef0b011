import type { Hex } from '@indelible/identifiers';
import type { Receipt, Refusal } from './fields.ts';

/** A reply to a gateway instance about its request. Redis may lose it: the stamp's status says the same. */
export type Reply = { readonly requestId: string } & (
  | { readonly kind: 'decided'; readonly decision: 'new' | 'joined' | 'repeated'; readonly stampId: string }
  | {
      readonly kind: 'confirmed';
      readonly outcome: 'created' | 'repeated';
      readonly stampId: string;
      readonly receipt: Receipt;
      /** It created a collection, which the gateway must see in its view before it responds (I9). */
      readonly collectionCreated: boolean;
      /** A `stored` or `not-stored` reply follows. */
      readonly awaitsFile: boolean;
    }
  | { readonly kind: 'stored'; readonly stampId: string; readonly fileName: string; readonly filePath: string }
  /** The content of the stamp cannot be stored, now or later. */
  | { readonly kind: 'not-stored'; readonly stampId: string }
  | {
      readonly kind: 'uploaded';
      /** `created`: this request's content was stored; `existing`: a commitment had a file before. */
      readonly outcome: 'created' | 'existing';
      readonly receipt: Receipt;
      readonly fileName: string;
      readonly filePath: string;
      /** Absent while storage does not know the commitment's stamp; release 0.1.0 always omits it. */
      readonly stampId?: string;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'collection-created';
      readonly collectionId: number;
      readonly account: Hex;
      readonly cid: Hex;
    }
);

export type AddressedReply = {
  /** The gateway instance that waits. */
  readonly replyTo: string;
  readonly reply: Reply;
};

const kinds: ReadonlySet<unknown> = new Set<Reply['kind']>([
  'decided',
  'confirmed',
  'stored',
  'not-stored',
  'uploaded',
  'refused',
  'collection-created',
]);

const isReply = (value: unknown): value is Reply =>
  typeof value === 'object' &&
  value !== null &&
  'requestId' in value &&
  typeof value.requestId === 'string' &&
  'kind' in value &&
  kinds.has(value.kind);

/** The replies of one message. Unknown kinds of a newer sender are skipped; an invalid list yields none. */
export const parseReplies = (payload: string): Reply[] => {
  try {
    const parsed: unknown = JSON.parse(payload);
    return Array.isArray(parsed) ? parsed.filter(isReply) : [];
  } catch {
    return [];
  }
};
