import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import type { Fault, Variable } from '@indelible/service-runtime';
import type { ServiceName } from '../provisioning.ts';

const root = resolve(import.meta.dirname, '../../../..');

export type CheckedSettings = { readonly faults: readonly Fault[] } | { readonly settings: Record<string, string> };

/** The variables of a service, by its own program: nobody else knows them. */
export const describeSettings = (service: ServiceName): Promise<readonly Variable[]> =>
  run<readonly Variable[]>(service, 'describe', {});

/** What is wrong with a service's settings in this environment, or what they are in effect, without secrets. */
export const checkSettings = (service: ServiceName, env: Readonly<Record<string, string>>): Promise<CheckedSettings> =>
  run<CheckedSettings>(service, 'check', env);

function run<Answer>(service: ServiceName, word: string, env: Readonly<Record<string, string>>): Promise<Answer> {
  const program = resolve(root, 'services', service, 'src/config.ts');
  return new Promise((done, fail) => {
    execFile(process.execPath, [program, word], { env }, (error, stdout) => {
      // faults are a result as well, with their own exit code
      if (stdout !== '') done(JSON.parse(stdout) as Answer);
      else fail(error ?? new Error(`${service} did not describe its settings`));
    });
  });
}
