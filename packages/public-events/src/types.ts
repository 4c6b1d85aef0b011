import type { PublicEventType } from './public-event.ts';
import { AccountOpened } from './types/account-opened.ts';
import { CollectionCreated } from './types/collection-created.ts';
import { FileFailed } from './types/file-failed.ts';
import { FileStored } from './types/file-stored.ts';
import { StampConfirmed } from './types/stamp-confirmed.ts';
import { StampFailed } from './types/stamp-failed.ts';
import { StampFinalized } from './types/stamp-finalized.ts';
import { StampReverted } from './types/stamp-reverted.ts';
import { StampSubmitted } from './types/stamp-submitted.ts';

/** Every type of public event: what is registered, served and documented. */
export const publicEventTypes: readonly PublicEventType[] = [
  StampSubmitted,
  StampConfirmed,
  StampFinalized,
  StampReverted,
  StampFailed,
  FileStored,
  FileFailed,
  CollectionCreated,
  AccountOpened,
];
