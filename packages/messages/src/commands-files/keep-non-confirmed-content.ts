import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, StagedContent, Uuid } from '../fields.ts';

/**
 * Asks for content to be kept under `non_confirmed/` with a failed record: it was to be stamped into a collection that is
 * registered but not created (docs/interface.md, Stored files). Nobody waits for it.
 */
export const KeepNonConfirmedContent = defineMessage({
  type: 'KeepNonConfirmedContent',
  version: 1,
  topic: 'commands.files',
  producer: 'gateway',
  consumers: ['storage'],
  schema: Type.Object({
    requestId: Uuid,
    account: Address,
    setCid: Bytes32,
    objectCid: Bytes32,
    /** A folder of the kept path. */
    collectionName: Type.String({ minLength: 1 }),
    content: StagedContent,
    /** Its second stands in the file's name: there is no receipt to take it from. */
    requestedAt: Instant,
  }),
  /** As of uploads: what is asked for one content is handled in order. */
  key: (data) => `${data.account}:${data.setCid}:${data.objectCid}`,
});
export type KeepNonConfirmedContent = DataOf<typeof KeepNonConfirmedContent>;
