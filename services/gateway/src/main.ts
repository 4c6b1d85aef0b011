import { serviceMain } from '@indelible/service-runtime';
import { settings } from './config.ts';
import { createGatewayService } from './service.ts';

await serviceMain({ service: 'gateway', settings, create: createGatewayService });
