import { FileFailed, FileFailedV1, FileFailedV2, FileStored, FileStoredV1 } from '@indelible/messages';

/** What its relay publishes: an update may find events of former versions recorded and not yet published. */
export const publishedEvents = [FileStored, FileFailed, FileStoredV1, FileFailedV1, FileFailedV2];
