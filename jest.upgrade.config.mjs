import config from './jest.config.mjs';

/** `npm run test:upgrade`: whole systems whose replicas are replaced under load, one file at a time. */
export default {
  ...config,
  testMatch: ['<rootDir>/tests/rolling-updates/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  maxWorkers: 1,
};
