import { serviceMain } from '@indelible/service-runtime';
import { settings } from './config.ts';
import { createVerificationService } from './service.ts';

await serviceMain({ service: 'verification', settings, create: createVerificationService });
