import config from './jest.config.mjs';

/** `npm run test:python`: the tests that run Python programs. */
export default {
  ...config,
  testMatch: ['<rootDir>/tests/python/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
};
