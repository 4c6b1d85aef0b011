import type { Config } from './config.ts';

/** What commands work with. `out` prints results, `note` other messages for people; each call is one line or block. */
export type CommandContext = {
  readonly config: Config;
  out(text: string): void;
  note(text: string): void;
};

/** Options that every command has. */
export type GlobalOptions = { readonly json?: true; readonly verbose?: true };
