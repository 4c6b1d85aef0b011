import config from './jest.config.mjs';

/** `npm run test:compose`: the tests that need a Docker engine, one file at a time. */
export default {
  ...config,
  testMatch: ['<rootDir>/tests/compose/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  maxWorkers: 1,
};
