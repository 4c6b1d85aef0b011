import { createLogger, runService } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createGatewayService } from './service.ts';

const config = readConfig(process.env);
const logger = createLogger({ service: 'gateway', level: config.logLevel });
await runService({ logger, create: (fail) => createGatewayService(config, logger, fail) });
