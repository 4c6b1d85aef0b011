import { serviceMain } from '@indelible/service-runtime';
import { settings } from './config.ts';
import { createStampingService } from './service.ts';

await serviceMain({ service: 'stamping', settings, create: createStampingService });
