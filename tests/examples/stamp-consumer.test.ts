import { resolve } from 'node:path';
import { describeConsumer } from './support/consumers.ts';

const script = resolve(import.meta.dirname, '../../docs/examples/typescript/stamp-consumer.ts');
describeConsumer('TypeScript', () => process.execPath, ['--disable-warning=ExperimentalWarning', script]);
