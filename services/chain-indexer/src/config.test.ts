import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

const needed = {
  DATABASE_URL: 'postgres://db/indelible',
  KAFKA_BROKERS: 'a:9092,b:9092',
  SCHEMA_REGISTRY_URL: 'http://registry/apis/ccompat/v7',
  RPC_URL: 'https://one/key, https://two',
  CHAIN_ID: '137',
  CONTRACT_ADDRESS: '0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
};

describe('the configuration', () => {
  it('needs the neighbours, the chain and the contract, and defaults the rest', () => {
    expect(readConfig(needed)).toMatchObject({
      rpcUrls: ['https://one/key', 'https://two'],
      wsUrls: undefined,
      chainId: 137,
      contractAddress: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359',
      startBlock: 1,
      finality: { kind: 'tag' },
      safe: false,
      belowFinality: 'follow',
    });
  });
  it('names every fault at once', () => {
    expect(() => readConfig({ ...needed, RPC_URL: undefined, CHAIN_ID: 'one', CONTRACT_ADDRESS: '0x12' })).toThrow(
      /CHAIN_ID(.|\n)*RPC_URL(.|\n)*CONTRACT_ADDRESS/,
    );
  });
  it('refuses endpoints that are none, and does not repeat them (I10)', () => {
    for (const change of [{ RPC_URL: 'https://one,s3cret' }, { RPC_WS_URL: 'https://s3cret' }])
      expect(() => readConfig({ ...needed, ...change })).toThrow(/^(?!.*s3cret)(.|\n)*must be URLs of/s);
  });
  it('takes endpoints of subscriptions, or polls only', () => {
    expect(readConfig({ ...needed, RPC_WS_URL: 'wss://one' }).wsUrls).toEqual(['wss://one']);
    expect(readConfig({ ...needed, RPC_WS_URL: 'none' }).wsUrls).toEqual([]);
  });
  it('takes finality by depth where the chain has no tag for it', () => {
    expect(readConfig({ ...needed, FINALITY: 'depth', FINALITY_DEPTH: '12' }).finality).toEqual({
      kind: 'depth',
      depth: 12,
    });
  });
  it('takes finality by depth on a chain that is not known, whose tag may mean nothing', () => {
    expect(readConfig({ ...needed, CHAIN_ID: '424242' }).finality).toEqual({ kind: 'depth', depth: 64 });
    expect(readConfig({ ...needed, CHAIN_ID: '424242', FINALITY: 'tag' }).finality).toEqual({ kind: 'tag' });
  });
  it('follows safe blocks, and halts below finality, where configured', () => {
    const change = { SAFE_BLOCKS: 'tag', REORG_BELOW_FINALITY: 'halt' };
    expect(readConfig({ ...needed, ...change })).toMatchObject({ safe: true, belowFinality: 'halt' });
  });
});
