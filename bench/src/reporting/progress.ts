import type { WriteStream } from 'node:tty';

export type Progress = { say(text: string): void; clear(): void };

/** Shows the current step: overwrites one line on a terminal, elsewhere prints one line per step. */
export function createProgress(out: NodeJS.WriteStream | WriteStream): Progress {
  const onTerminal = out.isTTY === true;
  const eraseLine = '\r\u001b[K';
  return {
    say: (text) =>
      void out.write(onTerminal ? `${eraseLine}… ${text.slice(0, Math.max(20, out.columns - 3))}` : `… ${text}\n`),
    clear: () => void (onTerminal && out.write(eraseLine)),
  };
}
