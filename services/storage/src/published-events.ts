import { FileFailed, FileFailedV1, FileFailedV2, FileStored, FileStoredV1 } from '@indelible/messages';

/** Events the relay publishes, including older versions recorded and not yet published before an update. */
export const publishedEvents = [FileStored, FileFailed, FileStoredV1, FileFailedV1, FileFailedV2];
