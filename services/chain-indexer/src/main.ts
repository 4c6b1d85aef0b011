import { serviceMain } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createChainIndexerService } from './service.ts';

await serviceMain({ service: 'chain-indexer', readConfig, create: createChainIndexerService });
