import type { Hex } from '@indelible/identifiers';
import type { NewEvent } from '../../src/decisions/event-of.ts';
import { type LoggedConfirmation, type Memory, placeKey } from '../../src/decisions/project.ts';

/** The logs of accounts as the projection stores them, JSON as in the table. */
export function createLog() {
  const positions = new Map<Hex, number>();
  const logged = new Map<string, LoggedConfirmation>();
  const memory: Pick<Memory, 'positions' | 'logged'> = { positions, logged };
  return {
    memory,
    append(events: readonly NewEvent[]): void {
      for (const { account, event } of events) {
        const position = (positions.get(account) ?? 0) + 1;
        positions.set(account, position);
        logged.set(placeKey({ account, position }), JSON.parse(JSON.stringify(event)) as LoggedConfirmation);
      }
    },
  };
}
