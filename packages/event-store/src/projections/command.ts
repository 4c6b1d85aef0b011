import { parseArgs } from 'node:util';
import { ConfigurationError, createLogger, isRetryable, type Logger, withoutSecrets } from '@indelible/service-runtime';

import type { Projection } from './projection.ts';
import { type RebuildOptions, type RebuildResult, rebuild } from './rebuild.ts';
import type { Progress } from './source.ts';

/** A projection of a service, with the source for each value of `--from`. */
export type Rebuildable = {
  readonly projection: Projection;
  /** The first one is taken when the command names none. */
  readonly sources: Readonly<Record<string, () => { readonly url: string; readonly source: RebuildOptions['source'] }>>;
};

/**
 * The command of a service: `PROJECTION [--from SOURCE] [--allow-fewer] [--json]`, reported step by step on standard
 * error and with its result on standard output. Ends when done, or at SIGINT or SIGTERM with the old read model
 * unchanged.
 * @returns the exit code: 0 done, 1 given up, 2 invalid arguments, 78 invalid configuration
 */
export async function rebuildCommand(options: {
  readonly words: readonly string[];
  readonly rebuildables: (logger: Logger) => readonly Rebuildable[];
}): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${withoutSecrets(text)}\n`);
  const logger = createLogger({ service: 'rebuild', level: 'silent' });
  const known = options.rebuildables(logger);
  const request = understand(options.words, known);
  if (typeof request === 'string') {
    say(`rebuild: ${request}`);
    return 2;
  }
  const { projection } = request;
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('stopped; the old read model stays'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    const began = performance.now();
    const result = await rebuild({
      ...request.open(),
      projection,
      logger,
      signal: stopping.signal,
      allowFewer: request.allowFewer,
      onStep: (step) => say(`${projection.name}: ${step}`),
      onProgress: (progress) => say(`${projection.name}: ${describe(progress)}`),
    });
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const { unit, done, leftOut, stoodStillMs } = result;
    process.stdout.write(
      request.json
        ? `${JSON.stringify({ projection: projection.name, [unit]: done, leftOut, stoodStillMs, seconds })}\n`
        : `${projection.name} is rebuilt: ${summary(result)}, ${seconds} s\n`,
    );
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(`rebuild: ${projection.name}: ${reason}`);
    if (error instanceof ConfigurationError) return 78;
    if (isRetryable(error) && !stopping.signal.aborted) say('rebuild: the same command may succeed later');
    return 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

type Asked = {
  readonly projection: Projection;
  readonly open: () => { readonly url: string; readonly source: RebuildOptions['source'] };
  readonly allowFewer: boolean;
  readonly json: boolean;
};

/** The request, or what is wrong with it. */
function understand(words: readonly string[], known: readonly Rebuildable[]): Asked | string {
  const names = known.map(({ projection }) => projection.name);
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        'allow-fewer': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const one = known.find(({ projection }) => projection.name === positionals[0]);
    if (one === undefined || positionals.length !== 1) return `name one of ${names.join(', ')}`;
    const from = values.from ?? Object.keys(one.sources)[0] ?? '';
    const open = Object.hasOwn(one.sources, from) ? one.sources[from] : undefined;
    if (open === undefined)
      return `${one.projection.name} can be made from ${Object.keys(one.sources).join(' or ')}, not from ${from}`;
    return { projection: one.projection, open, allowFewer: values['allow-fewer'], json: values.json };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const describe = ({ unit, done, left }: Progress): string => `${done} ${unit}, ${left} left`;

const summary = ({ unit, done, leftOut, stoodStillMs }: RebuildResult): string =>
  `${done} ${unit}${leftOut === 0 ? '' : ` (${leftOut} left out: see the dead letters)`}, swapped in ${stoodStillMs} ms`;
