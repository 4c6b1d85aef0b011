import { resolve } from 'node:path';
import { testPython } from '@indelible/testing';
import { describeConsumer } from '../examples/support/consumers.ts';

describeConsumer('Python', testPython, [resolve(import.meta.dirname, '../../docs/examples/python/stamp_consumer.py')]);
