import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readToolEnvironment } from './config.ts';
import { composeAddresses, composeVariables, dockerAnswers, projectName } from './docker.ts';
import { PART_NAMES } from './parts.ts';

const compose = await readFile(resolve(import.meta.dirname, '../../../../docker-compose.yml'), 'utf8');
const secrets = { databasePassword: 'one', registryPassword: 'two', redisPassword: 'three' };
const variables = composeVariables({ postgres: 1, kafka: 2, registry: 3, redis: 4, anvil: 5 }, secrets, 7);

describe('docker-compose.yml', () => {
  it('takes exactly the variables that it is given', () => {
    const used = [...compose.matchAll(/\$\{(\w+)/g)].map((match) => match[1]);
    expect([...new Set(used)].sort()).toEqual(Object.keys(variables).sort());
  });

  it('opens ports to this machine alone, and one for each part', () => {
    const ports = [...compose.matchAll(/^ +ports: (.*)$/gm)].map((match) => match[1]);
    expect(ports).toHaveLength(PART_NAMES.length);
    for (const port of ports) expect(port).toMatch(/^\['127\.0\.0\.1:\$\{INDELIBLE_[A-Z]+_PORT:-\d+\}:\d+'\]$/);
  });

  it('has a service with a health check and a pinned image for each part', () => {
    for (const part of PART_NAMES) expect(compose).toMatch(new RegExp(`^  ${part}:$`, 'm'));
    const images = [...compose.matchAll(/^ +image: (.*)$/gm)].map((match) => match[1]);
    expect(images).toHaveLength(PART_NAMES.length);
    for (const image of images) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-alpine)?$/);
    expect([...compose.matchAll(/^ +healthcheck:$/gm)]).toHaveLength(PART_NAMES.length);
  });
});

describe('containers', () => {
  it('are reached by the ports and passwords they are given', () => {
    expect(composeAddresses(variables)).toEqual({
      databaseUrl: 'postgres://indelible:one@127.0.0.1:1/indelible',
      kafkaBrokers: '127.0.0.1:2',
      schemaRegistryUrl: 'http://127.0.0.1:3/apis/ccompat/v7',
      redisUrl: 'redis://:three@127.0.0.1:4',
      rpcUrl: 'http://127.0.0.1:5',
    });
  });

  it('of two data folders never share a name', () => {
    expect(projectName('/a')).not.toBe(projectName('/b'));
    expect(projectName('/a')).toBe(projectName('/a'));
  });

  it('are not used where no Docker command is', async () => {
    expect(await dockerAnswers(readToolEnvironment({ PATH: '/nonexistent' }))).toBe(false);
  });
});
