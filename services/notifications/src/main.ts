import { serviceMain } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createNotificationsService } from './service.ts';

await serviceMain({ service: 'notifications', readConfig, create: createNotificationsService });
