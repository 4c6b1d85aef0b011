import { serviceMain } from '@indelible/service-runtime';
import { settings } from './config.ts';
import { createNotificationsService } from './service.ts';

await serviceMain({ service: 'notifications', settings, create: createNotificationsService });
