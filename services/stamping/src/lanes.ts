import { parseArgs } from 'node:util';
import { createRpc } from '@indelible/ethereum';
import { openLaneKeys } from '@indelible/ethereum/custody';
import { type Hex, parseAddress } from '@indelible/identifiers';
import { createDatabase } from '@indelible/postgres';
import { commandMain, createLogger } from '@indelible/service-runtime';
import { readLanesConfig } from './config.ts';
import { drainLane } from './operating/drain-lane.ts';
import type { LaneKey } from './operating/lane-place.ts';
import { linesOfLane, listLanes } from './operating/list-lanes.ts';
import { resumeLane } from './operating/resume-lane.ts';
import { schema } from './schema.ts';

const signatureMs = 10_000;

/**
 * The program behind `indelible lanes list`, `drain` and `resume`. It reads and writes stamping's tables, even while
 * stamping runs. Results go to standard output, as JSON with `--json`; progress to standard error.
 */
async function run(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      lane: { type: 'string' },
      to: { type: 'string' },
      wait: { type: 'string', default: '1800' },
      last: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const config = readLanesConfig(process.env);
  const keys = await openLaneKeys(config.laneKeys, signatureMs);
  const rpc = createRpc({ urls: config.rpcUrls, timeoutMs: 10_000, chainId: config.chainId });
  const database = createDatabase({
    url: config.databaseUrl,
    schema,
    applicationName: 'indelible lanes',
    maxConnections: 2,
    logger: createLogger({ service: 'lanes', level: 'silent' }),
  });
  const { chainId, contractAddress: contract } = config;
  const place = { rpc, database, chainId, contract, operator: keys.operator };
  const laneOf = async (index: number): Promise<LaneKey> => ({
    index,
    address: await keys.signer.address(index),
    sign: (digest) => keys.signer.signDigest(index, digest),
  });
  const print = (result: unknown, lines: readonly string[]): void =>
    console.log(values.json ? JSON.stringify(result) : lines.join('\n'));
  const note = (text: string): void => console.error(text);
  try {
    const [command] = positionals;
    if (command === 'list') {
      const served = await Promise.all(Array.from({ length: keys.count }, (_, index) => laneOf(index)));
      const lanes = await listLanes(place, served);
      return print(lanes, lanes.flatMap(linesOfLane));
    }
    const index = Number(values.lane);
    const lane = await laneOf(index);
    if (command === 'resume') {
      await resumeLane(place, lane);
      return print({ lane: lane.address, draining: false }, [`lane ${index}  ${lane.address}  takes batches`]);
    }
    if (command !== 'drain') throw new Error(`there is no command ${command}`);
    const to = values.to === undefined ? place.operator : (parseAddress(values.to.toLowerCase()) as Hex);
    const timeoutMs = Number(values.wait) * 1_000;
    const drained = await drainLane(place, lane, { to, timeoutMs, last: values.last, note });
    print(drained, [`lane ${index}  ${lane.address}  is drained; ${drained.sent} wei were sent to ${to}`]);
  } finally {
    keys.close();
    rpc.close();
    await database.close();
  }
}

await commandMain('lanes', run);
