import { serviceMain } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createStorageService } from './service.ts';

await serviceMain({ service: 'storage', readConfig, create: createStorageService });
