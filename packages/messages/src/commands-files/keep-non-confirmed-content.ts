import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, StagedContent, Uuid } from '../fields.ts';

/**
 * Requests that content be kept under `non_confirmed/` with a failed record: its collection is registered but not
 * created (docs/interface.md, Stored files). Nobody waits for it.
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
    /** Its second is in the file's name, since there is no receipt. */
    requestedAt: Instant,
  }),
  /** As for uploads: commands for one content are handled in order. */
  key: (data) => `${data.account}:${data.setCid}:${data.objectCid}`,
});
export type KeepNonConfirmedContent = DataOf<typeof KeepNonConfirmedContent>;
