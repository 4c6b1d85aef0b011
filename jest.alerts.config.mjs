import config from './jest.config.mjs';

/** `npm run test:alerts`: the tests that need Prometheus, one file at a time. */
export default {
  ...config,
  testMatch: ['<rootDir>/tests/alerts/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  maxWorkers: 1,
};
