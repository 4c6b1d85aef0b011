import {
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  PlainRequestJoined,
  PlainRequestRefused,
  StampConfirmed,
  StampConfirmedV3,
  StampFailed,
  StampFailedV2,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV3,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV2,
} from '@indelible/messages';

/** The events of this service. */
const events = [
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  PlainRequestJoined,
  PlainRequestRefused,
  StampConfirmedV3,
  StampFailedV2,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampRevertedV3,
  StampsFinalized,
  StampsSubmittedV2,
];

/** What its relay publishes: an update may find events of former versions recorded and not yet published. */
export const publishedEvents = [...events, StampConfirmed, StampFailed, StampReverted, StampsSubmitted];
