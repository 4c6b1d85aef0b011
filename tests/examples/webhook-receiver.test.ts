import { resolve } from 'node:path';
import { describeReceiver } from './support/receivers.ts';

const script = resolve(import.meta.dirname, '../../docs/examples/typescript/webhook-receiver.ts');
describeReceiver('TypeScript', () => process.execPath, ['--disable-warning=ExperimentalWarning', script]);
