import type { Step } from '@indelible/launcher/servers';

/** Writes one line per finished step to stderr: its name, seconds and outcome. */
export function printStep(step: Step): void {
  if (step.state === 'started') return;
  const mark = step.state === 'done' ? '✓' : '✗';
  process.stderr.write(`${mark} ${step.name.padEnd(12)} ${step.seconds.toFixed(1).padStart(5)} s  ${step.detail}\n`);
}
