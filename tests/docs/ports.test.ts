import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { serviceNames, wantedPorts } from '@indelible/launcher';
import { expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');

it('each service has an internal port of its own by default: that of the local start, and of the documentation', () => {
  const ports = serviceNames.map((name) => {
    const config = read(`services/${name}/src/config.ts`);
    return [name, Number(/internalServerSettings\((\d+)\)/.exec(config)?.[1])] as const;
  });
  expect(ports).toEqual(serviceNames.map((name) => [name, wantedPorts[name]]));
  const documented = read('deploy/README.md');
  for (const [name, port] of ports) expect(documented).toContain(`${port} (${name})`);
});
