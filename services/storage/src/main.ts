import { createLogger, runService } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createStorageService } from './service.ts';

const config = readConfig();
const logger = createLogger({ service: 'storage', level: config.logLevel });
await runService({ logger, create: (fail) => createStorageService(config, logger, fail) });
