import { createLogger, runService } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createStampingService } from './service.ts';

const config = readConfig(process.env);
const logger = createLogger({ service: 'stamping', level: config.logLevel });
await runService({ logger, create: (fail) => createStampingService(config, logger, fail) });
