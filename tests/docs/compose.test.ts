import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { serviceNames } from '@indelible/launcher';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');
const servers = read('docker-compose.yml');
const services = read('deploy/docker-compose.services.yml');
const example = read('deploy/compose.env');

describe('the whole product with Docker Compose', () => {
  it('has every service, started by its own program', () => {
    for (const name of serviceNames) {
      expect(services).toMatch(new RegExp(`^  ${name}:\\n    <<: \\*service\\n`, 'm'));
      expect(services).toContain(`[services/${name}/src/main.ts]`);
    }
  });

  it('needs the variables that its example of .env has without a value, and no other', () => {
    const required = [...`${servers}${services}`.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const empty = [...example.matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect([...new Set(required)].sort()).toEqual(empty.sort());
  });

  it('names in its example files that are there', () => {
    const [, files = ''] = /^COMPOSE_FILE=(.*)$/m.exec(example) ?? [];
    for (const file of files.split(':')) expect(read(file)).toContain('services:');
  });

  it('keeps the chain block by block, and saves it by no interval', () => {
    expect(services).toContain('--no-mining');
    expect(services).not.toContain('--state');
    expect(services).toContain('packages/ethereum/src/local-chain-main.ts');
  });

  it('has no job that nothing waits for: `up --wait` takes one that has ended for a failure', () => {
    const jobs = [...services.matchAll(/^ {2}([\w-]+):\n {4}<<: \*job\n(?! {4}profiles:)/gm)].map(([, name]) => name);
    expect(jobs).toContain('first-account');
    for (const job of jobs) expect(services).toContain(`${job}: { condition: service_completed_successfully }`);
  });

  it('opens the gateway alone, to this machine unless it is told otherwise', () => {
    const ports = [...services.matchAll(/^ +ports: (.*)$/gm)].map(([, port]) => port);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Compose
    expect(ports).toEqual(["['${INDELIBLE_HTTP_ADDRESS:-127.0.0.1:8080}:8080']"]);
  });
});
