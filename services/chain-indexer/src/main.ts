import { createLogger, runService } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createChainIndexerService } from './service.ts';

const config = readConfig(process.env);
const logger = createLogger({ service: 'chain-indexer', level: config.logLevel });
await runService({ logger, create: () => createChainIndexerService(config, logger) });
