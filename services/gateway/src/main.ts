import { serviceMain } from '@indelible/service-runtime';
import { readConfig } from './config.ts';
import { createGatewayService } from './service.ts';

await serviceMain({ service: 'gateway', readConfig, create: createGatewayService });
