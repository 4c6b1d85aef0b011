import config from './jest.config.mjs';

/** `npm run test:traces`: the tests against a real collector of traces. */
export default {
  ...config,
  testMatch: ['<rootDir>/tests/collector/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
};
