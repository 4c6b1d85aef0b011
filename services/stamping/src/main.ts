import { serviceMain } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createStampingService } from './service.ts';

await serviceMain({ service: 'stamping', readConfig, create: createStampingService });
