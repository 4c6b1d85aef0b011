/** Pure tests stand beside the code, tests on real servers in tests/ folders; both run on the workspace's Node as ESM. */
export default {
  rootDir: import.meta.dirname,
  testMatch: ['**/src/**/*.test.ts', '**/tests/**/*.test.ts'],
  // tests/python needs Python, tests/alerts Prometheus, tests/collector Go, tests/compose and tests/kubernetes root,
  // tests/rolling-updates minutes: each has a configuration of its own
  testPathIgnorePatterns: [
    '/node_modules/',
    '/.local/',
    '<rootDir>/tests/(python|alerts|collector|compose|kubernetes|rolling-updates)/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/.local/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' } }] },
  testEnvironment: 'node',
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  // A file waits for servers and blocks about half of its time: three keep two cores busy.
  maxWorkers: 3,
  // A guard against hangs, no measure of speed: machines that run the tests are busy with other things, too.
  testTimeout: 60_000,
  // Modules of files that are done stay on the heap: with some gigabytes of them each collection stops the process for seconds,
  // and what a test measures or waits for with it. A fresh process goes on instead.
  workerIdleMemoryLimit: '700MB',
};
