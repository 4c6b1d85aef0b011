import { serviceMain } from '@indelible/service-runtime';
import { settings } from './local-chain/config.ts';
import { createLocalChain } from './local-chain/create-local-chain.ts';

/** Beside an anvil in a separate container: mines its blocks and saves them (see deploy/README.md). */
await serviceMain({ service: 'local-chain', settings, create: createLocalChain });
