import config from './jest.config.mjs';

/** `npm run test:kubernetes`: the tests on a real cluster, one file at a time: validation, which needs no node, comes first. */
export default {
  ...config,
  testMatch: ['<rootDir>/tests/kubernetes/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  maxWorkers: 1,
};
