import { setFlagsFromString } from 'node:v8';

let holders = 0;

/**
 * While anybody holds this, the old generation is collected after it grew by a fifth, not when it has doubled: for what
 * streams a great deal through little memory. All the time it would cost a service under load a quarter of its processor
 * (docs/hot-path.md, Memory or time).
 * @returns gives it up; calls after the first do nothing
 */
export function collectEagerly(): () => void {
  if (holders++ === 0) setFlagsFromString('--heap-growing-percent=20');
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    if (--holders === 0) setFlagsFromString('--heap-growing-percent=0');
  };
}
