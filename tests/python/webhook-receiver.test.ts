import { resolve } from 'node:path';
import { testPython } from '@indelible/testing';
import { describeReceiver } from '../examples/support/receivers.ts';

describeReceiver('Python', testPython, [
  resolve(import.meta.dirname, '../../docs/examples/python/webhook_receiver.py'),
]);
