import type { Step } from '@indelible/local-infrastructure';
import type { ServiceName } from './service-table.ts';

/** What the launcher shows: a line per step with its seconds, and the services' logs under their names. */
export type Screen = {
  step(step: Step): void;
  log(service: ServiceName, line: string): void;
  say(text: string): void;
};

const nameWidth = 14;

export function createScreen(out: NodeJS.WritableStream): Screen {
  const write = (text: string): void => void out.write(`${text}\n`);
  return {
    step({ name, state, seconds, detail }) {
      if (state === 'started') return;
      const mark = state === 'done' ? '✓' : '✗';
      write(`${mark} ${name.padEnd(20)} ${seconds.toFixed(1).padStart(5)} s  ${detail}`.trimEnd());
    },
    log: (service, line) => write(`${service.padEnd(nameWidth)}| ${readableLine(line)}`),
    say: write,
  };
}

/** A line of JSON as `level message key=value …`; any other line as it is. */
export function readableLine(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { level, message, time: _time, service: _service, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const rest = Object.entries(fields).map(([name, value]) => `${name}=${readableValue(value)}`);
    return [String(level).padEnd(5), message, ...rest].join(' ');
  } catch {
    return line;
  }
}

function readableValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { message } = value as { message?: unknown };
  return typeof message === 'string' ? JSON.stringify(message) : JSON.stringify(value);
}
