import type { Step } from './servers.ts';
import type { ServiceName } from './service-table.ts';

/**
 * The launcher's output: a line per step with its seconds, an occasional one while it runs, and the services' logs by
 * name.
 */
export type Screen = {
  step(step: Step): void;
  log(service: ServiceName, line: string): void;
  say(text: string): void;
  /** Ends the lines about running steps. */
  stopTiming(): void;
};

const nameWidth = 14;
/** A longer step reports that it is still running, this often. */
const patienceMs = 5_000;

export function createScreen(out: NodeJS.WritableStream): Screen {
  const write = (text: string): void => void out.write(`${text}\n`);
  const underWay = new Map<string, NodeJS.Timeout>();
  const begin = (name: string): void => {
    const began = performance.now();
    const remind = (): void =>
      write(`… ${name.padEnd(20)} ${((performance.now() - began) / 1_000).toFixed(1).padStart(5)} s`);
    underWay.set(name, setInterval(remind, patienceMs).unref());
  };
  const end = (name: string): void => {
    clearInterval(underWay.get(name));
    underWay.delete(name);
  };
  return {
    step({ name, state, seconds, detail }) {
      if (state === 'started') return begin(name);
      end(name);
      const mark = state === 'done' ? '✓' : '✗';
      write(`${mark} ${name.padEnd(20)} ${seconds.toFixed(1).padStart(5)} s  ${detail}`.trimEnd());
    },
    log: (service, line) => write(`${service.padEnd(nameWidth)}| ${readableLine(line)}`),
    say: write,
    stopTiming() {
      for (const name of underWay.keys()) end(name);
    },
  };
}

/** A line of JSON as `level msg key=value …`; any other line as it is. */
export function readableLine(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const {
      level,
      msg,
      time: _time,
      service: _service,
      version: _version,
      ...fields
    } = JSON.parse(line) as Record<string, unknown>;
    const rest = Object.entries(fields).map(([name, value]) => `${name}=${readableValue(value)}`);
    return [String(level).padEnd(5), msg, ...rest].join(' ');
  } catch {
    return line;
  }
}

function readableValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { message } = value as { message?: unknown };
  return typeof message === 'string' ? JSON.stringify(message) : JSON.stringify(value);
}
