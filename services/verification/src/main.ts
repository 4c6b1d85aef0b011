import { serviceMain } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createVerificationService } from './service.ts';

await serviceMain({ service: 'verification', readConfig, create: createVerificationService });
