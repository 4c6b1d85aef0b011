import { surveyAccounts } from '../checks/accounts.ts';
import { surveyBatches } from '../checks/batches.ts';
import { surveyCollections, surveySurplusCollections } from '../checks/collections.ts';
import { surveyCommitments } from '../checks/commitments.ts';
import { surveyCursors } from '../checks/cursors.ts';
import { surveyHeaders } from '../checks/headers.ts';
import { surveyLanes } from '../checks/lanes.ts';
import { surveyNonces } from '../checks/nonces.ts';
import { surveyCollectionEvents, surveyFileEvents } from '../checks/owner-events.ts';
import { surveyConfirmedEvents, surveyLog, surveyLogCounters, surveyUnpublished } from '../checks/public-events.ts';
import { surveyRelays } from '../checks/relays.ts';
import { surveyStagedContent } from '../checks/staged-content.ts';
import { surveyStampEvents } from '../checks/stamp-events.ts';
import { surveyStamps } from '../checks/stamps.ts';
import { surveyStorageRecords, surveyStorageStamps } from '../checks/storage-stamps.ts';
import { surveyNonConfirmed, surveyStoredFiles } from '../checks/stored-files.ts';
import { eventSchemas, surveyStreams } from '../checks/streams.ts';
import type { ChainPort } from '../readers/chain-logs.ts';
import type { BlobPort } from '../readers/read-content.ts';
import type { Reader } from '../readers/reader.ts';
import type { CheckName } from './check-names.ts';
import type { Survey } from './survey.ts';

/** What the checks read, and how. */
export type CheckPorts = {
  readonly reader: Reader;
  /** Left out when no requested check needs it (`partsOf`). */
  readonly chain?: ChainPort;
  readonly blobs?: BlobPort;
  readonly chainId: number;
  /** Rows of one statement. */
  readonly pageSize: number;
  /** Younger rows may be in flight: not judged. */
  readonly graceSeconds: number;
  /** After this time a stamp or transaction should be finished. */
  readonly overdueSeconds: number;
  /** Whether stored content is hashed, besides its checksum. */
  readonly sha3: boolean;
};

/** The surveys of a check. @throws TypeError when a part that it needs was left out */
export function surveysOf(check: CheckName, ports: CheckPorts): readonly Survey[] {
  switch (check) {
    case 'chain': {
      const chain = given(ports.chain);
      return [surveyCursors({ ...ports, chain }), surveyHeaders({ ...ports, chain })];
    }
    case 'commitments':
      return [surveyCommitments({ ...ports, chain: given(ports.chain) })];
    case 'stamps':
      return [surveyBatches({ ...ports, chain: given(ports.chain) }), surveyStamps(ports)];
    case 'lanes': {
      const chain = given(ports.chain);
      return [surveyLanes({ ...ports, chain }), surveyNonces({ ...ports, chain })];
    }
    case 'events':
      return [
        ...eventSchemas.map((schema) => surveyStreams(ports, schema)),
        surveyStampEvents(ports),
        surveyCollectionEvents(ports),
        surveyFileEvents(ports),
        surveyRelays(ports),
      ];
    case 'views':
      return [
        surveyStorageStamps(ports),
        surveyStorageRecords(ports),
        surveyCollections(ports),
        ...surveySurplusCollections(ports),
        surveyAccounts(ports),
      ];
    case 'public-events':
      return [surveyConfirmedEvents(ports), surveyLog(ports), surveyLogCounters(ports), surveyUnpublished(ports)];
    case 'files': {
      const blobs = given(ports.blobs);
      return [
        surveyStoredFiles({ ...ports, blobs }),
        surveyNonConfirmed({ ...ports, blobs }),
        surveyStagedContent({ ...ports, blobs }),
      ];
    }
  }
}

function given<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new TypeError('a check was requested without the part that it needs');
  return part;
}
