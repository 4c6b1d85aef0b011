import { serviceMain } from '@indelible/service-runtime';
import { settings } from './config.ts';
import { createStorageService } from './service.ts';

await serviceMain({ service: 'storage', settings, create: createStorageService });
