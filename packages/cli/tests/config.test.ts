import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Variable } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '../src/provisioning.ts';
import { describeSettings } from '../src/settings-page/service-settings.ts';
import { runCommand } from './command-line.ts';

const needed = {
  DATABASE_URL: 'postgres://ada:s3cret@db/indelible',
  KAFKA_BROKERS: 'kafka:9092',
  SCHEMA_REGISTRY_URL: 'https://ada:s3cret@registry/apis',
};
const config = (words: readonly string[], environment: Record<string, string>) =>
  runCommand(['config', ...words], { folder: tmpdir(), environment });

describe('indelible config', () => {
  it('shows what the settings of a service are in this environment, without secrets (I10)', async () => {
    const { code, out, err } = await config(['--check', 'verification'], { ...needed, SPOOL_MAX_BYTES: '200000000' });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('DATABASE_URL=postgres://db/indelible\n');
    expect(out).toContain('INTERNAL_PORT=8104\n');
    expect(out).toContain('SPOOL_MAX_BYTES=200000000\n');
    expect(out).not.toContain('s3cret');
  });

  it('names every fault of them at once, and those of names that mean nothing', async () => {
    const environment = {
      ...needed,
      SPOOL_MAX_BYTES: '1',
      INDELIBLE_INTERNAL_PORTS: '8104',
      KAFKA_TLS_CA_FILE: '/none',
    };
    const { code, out, err } = await config(['--check', 'verification', '--json'], environment);
    expect([code, err]).toEqual([1, 'indelible: the settings of verification are invalid\n']);
    const { faults } = JSON.parse(out) as { faults: readonly { name: string; text: string }[] };
    expect(faults.map(({ name }) => name)).toEqual([
      'KAFKA_TLS_CA_FILE',
      'SPOOL_MAX_BYTES',
      'INDELIBLE_INTERNAL_PORTS',
    ]);
    expect(faults[2]?.text).toContain('INTERNAL_PORT');
  });

  it('prints the document of all settings, as it is in the repository', async () => {
    const committed = await readFile(resolve(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
    expect(await config(['--markdown'], {})).toEqual({ code: 0, out: committed, err: '' });
  });
});

describe('the settings of all services', () => {
  it('have no two default ports alike, and say one thing of one variable', async () => {
    const described = await Promise.all(serviceNames.map(describeSettings));
    const ports = described.flatMap((variables) =>
      variables.flatMap(({ name, default: usual }) => (/_PORT$/.test(name) ? [usual] : [])),
    );
    expect(new Set(ports).size).toBe(ports.length);
    const first = new Map<string, Variable>();
    for (const variable of described.flat()) {
      const { values, unit, secrecy } = first.get(variable.name) ?? variable;
      expect([variable.name, variable.values, variable.unit, variable.secrecy]).toEqual([
        variable.name,
        values,
        unit,
        secrecy,
      ]);
      first.set(variable.name, variable);
    }
  });
});
