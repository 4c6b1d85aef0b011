import type { PublicEventType } from './public-event.ts';
import { AccountOpened } from './types/account-opened.ts';
import { CollectionCreated } from './types/collection-created.ts';
import { FileFailedV1 } from './types/file-failed.ts';
import { FileStoredV1 } from './types/file-stored.ts';
import { StampConfirmedV2 } from './types/stamp-confirmed.ts';
import { StampFailedV1 } from './types/stamp-failed.ts';
import { StampFinalized } from './types/stamp-finalized.ts';
import { StampRevertedV2 } from './types/stamp-reverted.ts';
import { StampSubmitted } from './types/stamp-submitted.ts';

/** Every type of public event: what is registered, served and documented. */
export const publicEventTypes: readonly PublicEventType[] = [
  StampSubmitted,
  StampConfirmedV2,
  StampFinalized,
  StampRevertedV2,
  StampFailedV1,
  FileStoredV1,
  FileFailedV1,
  CollectionCreated,
  AccountOpened,
];
