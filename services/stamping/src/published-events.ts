import {
  CollectionCreated,
  CollectionCreatedV1,
  CollectionRegistered,
  CollectionReverted,
  PlainRequestJoined,
  PlainRequestRefused,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV2,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
} from '@indelible/messages';

/** The events of this service. */
const events = [
  CollectionCreated,
  CollectionCreatedV1,
  CollectionRegistered,
  CollectionReverted,
  PlainRequestJoined,
  PlainRequestRefused,
  StampConfirmed,
  StampFailed,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampsFinalized,
  StampsSubmitted,
];

/** Events the relay publishes, including older versions recorded and not yet published before an update. */
export const publishedEvents = [
  ...events,
  StampConfirmedV2,
  StampFailedV1,
  StampRevertedV2,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
];
