import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { FileFailedV2 } from './file-failed-v2.ts';
import { Came } from './file-stored.ts';

/**
 * The content of a stamp can never be stored: the stamp stays valid without it. Content that comes later may still be
 * stored.
 */
export const FileFailed = defineMessage({
  ...FileFailedV2,
  version: 3,
  schema: Type.Object({ ...FileFailedV2.schema.properties, came: Came }),
});
export type FileFailed = DataOf<typeof FileFailed>;
