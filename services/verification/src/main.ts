import { createLogger, runService } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createVerificationService } from './service.ts';

const config = readConfig();
const logger = createLogger({ service: 'verification', level: config.logLevel });
await runService({ logger, create: (fail) => createVerificationService(config, logger, fail) });
