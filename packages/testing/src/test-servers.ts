import type { UnexpectedExit } from '@indelible/launcher/servers';
import type { TestAddresses } from './environment.ts';

/** The servers that all test files of one run share, those of them that it needs. Chains are not among them: each test file starts its own. */
export interface TestServers {
  readonly addresses: Partial<TestAddresses>;
  /** Calls the listener if a server ends before `stop`. */
  onUnexpectedExit(listener: (exit: UnexpectedExit) => void): void;
  stop(): Promise<void>;
}
