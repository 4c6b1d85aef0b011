import type { UnexpectedExit } from '@indelible/launcher/servers';
import type { TestAddresses } from './environment.ts';

/** The servers shared by all test files of one run, as needed. Not chains: each test file starts its own. */
export interface TestServers {
  readonly addresses: Partial<TestAddresses>;
  /** Calls the listener if a server ends before `stop`. */
  onUnexpectedExit(listener: (exit: UnexpectedExit) => void): void;
  stop(): Promise<void>;
}
