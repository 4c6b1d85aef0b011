import { describe, expect, it } from '@jest/globals';
import { anvilArguments } from '../native/anvil.ts';
import { randomClusterId, renderServerProperties } from '../native/kafka.ts';
import { postgresArguments } from '../native/postgres.ts';
import { parseAccounts } from '../native/postgres-account.ts';
import { carriedProgram, redisArguments } from '../native/redis.ts';
import { registryEnvironment, registryUrl } from '../native/schema-registry.ts';
import { readAddresses, readToolEnvironment, serverEnvironment } from './config.ts';
import { describeError, InfrastructureError } from './infrastructure-error.ts';
import { parseJavaVersion } from './java.ts';
import { lastLines } from './last-lines.ts';
import { renderPom } from './maven.ts';
import { withoutPassword } from './native-parts.ts';

describe('the environment', () => {
  it('gives addresses, an empty one counting as none', () => {
    expect(readAddresses({ DATABASE_URL: 'postgres://x', KAFKA_BROKERS: '', RPC_URL: 'http://y' })).toEqual({
      databaseUrl: 'postgres://x',
      rpcUrl: 'http://y',
    });
  });

  it('reaches a server only as far as it needs it (I10)', () => {
    const tools = readToolEnvironment({ PATH: '/bin', HOME: '/h', SIGNER_KEY: 'secret', JAVA_HOME: '' });
    expect(tools.javaHome).toBeUndefined();
    expect(serverEnvironment(tools)).toEqual({ PATH: '/bin', HOME: '/h' });
  });
});

describe('servers', () => {
  it('listen on the loopback address alone', () => {
    const properties = renderServerProperties({ port: 1, controllerPort: 2, logDir: '/d' });
    expect(properties).toContain('listeners=BROKER://127.0.0.1:1,CONTROLLER://127.0.0.1:2\n');
    expect(properties).toContain('advertised.listeners=BROKER://127.0.0.1:1\n');
    expect(redisArguments(3, '/d').slice(0, 4)).toEqual(['--bind', '127.0.0.1', '--port', '3']);
    expect(postgresArguments({ cluster: '/c', port: 4, durable: true })).toEqual(
      expect.arrayContaining(['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'port=4']),
    );
    const settings = { port: 5, blockTimeSeconds: undefined, stateHistoryBlocks: undefined };
    expect(anvilArguments(settings).join(' ')).toContain('--host 127.0.0.1 --port 5');
    const database = { jdbcUrl: 'jdbc:x', user: 'u', password: 'p' };
    expect(registryEnvironment(6, database)).toMatchObject({ QUARKUS_HTTP_HOST: '127.0.0.1', QUARKUS_HTTP_PORT: '6' });
    expect(registryUrl(6)).toBe('http://127.0.0.1:6/apis/ccompat/v7');
  });

  it('write safely to disk unless they are for tests', () => {
    expect(postgresArguments({ cluster: '/c', port: 4, durable: true }).join(' ')).not.toContain('fsync');
    expect(postgresArguments({ cluster: '/c', port: 4, durable: false })).toContain('fsync=off');
  });

  it('mine as configured', () => {
    const settings = { port: 5, stateHistoryBlocks: 32 };
    expect(anvilArguments({ ...settings, blockTimeSeconds: 2 }).join(' ')).toContain(
      '--block-time 2 --prune-history 32',
    );
    expect(anvilArguments({ ...settings, blockTimeSeconds: 'manual' })).toContain('--no-mining');
    expect(anvilArguments({ ...settings, blockTimeSeconds: undefined }).join(' ')).not.toMatch(/mining|block-time/);
  });

  it('get a cluster id that is no command-line option', () => {
    for (let count = 0; count < 500; count += 1) expect(randomClusterId()).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/);
  });

  it('are taken from the archive by system', () => {
    const files = [
      'redis-server-6.2.6-v5-darwin-arm64',
      'redis-server-6.2.6-v5-linux-amd64',
      'redis-server-6.2.7-linux-386',
    ];
    expect(carriedProgram(files, 'linux', 'x64')).toBe(files[1]);
    expect(carriedProgram(files, 'darwin', 'arm64')).toBe(files[0]);
    expect(carriedProgram(files, 'linux', 'arm64')).toBeUndefined();
    expect(carriedProgram(files, 'sunos', 'x64')).toBeUndefined();
  });
});

describe('texts', () => {
  it('of Java versions are read in both styles', () => {
    expect(parseJavaVersion('openjdk version "17.0.15" 2025-04-15')).toBe(17);
    expect(parseJavaVersion('java version "1.8.0_412"')).toBe(8);
    expect(parseJavaVersion('openjdk version "25" 2025-09-16')).toBe(25);
    expect(parseJavaVersion('command not found')).toBe(0);
  });

  it('of passwd give accounts, but never root', () => {
    const accounts = parseAccounts('root:x:0:0::/root:/bin/sh\npostgres:x:101:104::/:/bin/sh\n\nbroken');
    expect([...accounts]).toEqual([['postgres', { uid: 101, gid: 104 }]]);
  });

  it('of logs are cut to their last lines', () => {
    expect(lastLines('a\n\nb\nc\n', 2)).toEqual(['b', 'c']);
  });

  it('of addresses show no password (I10)', () => {
    expect(withoutPassword('postgres://u:p%40ss@127.0.0.1:5432/d')).toBe('postgres://u@127.0.0.1:5432/d');
    expect(withoutPassword('http://127.0.0.1:8081/apis')).toBe('http://127.0.0.1:8081/apis');
  });

  it('of errors name the remedy and end with the log', () => {
    const error = new InfrastructureError('No Java', 'install one', { lastLines: ['why'] });
    expect(describeError(error)).toEqual(['No Java — install one', '  | why']);
    expect(describeError('odd')).toEqual(['odd']);
  });

  it('for Maven name every artifact', () => {
    expect(renderPom([{ group: 'g', name: 'n', version: '1' }])).toContain(
      '<dependency><groupId>g</groupId><artifactId>n</artifactId><version>1</version></dependency>',
    );
  });
});
