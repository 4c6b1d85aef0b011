import { serviceMain } from '@indelible/service-runtime';
import { settings } from './config.ts';
import { createChainIndexerService } from './service.ts';

await serviceMain({ service: 'chain-indexer', settings, create: createChainIndexerService });
