import config from './jest.config.mjs';

/** Tests that load, stop and kill whole systems: each keeps two cores busy, and what it waits for comes late beside another. */
export const aloneFolders = [
  'bench/tests',
  'tests/chaos',
  'tests/crashes',
  'tests/hostile',
  'tests/outages',
  'tests/restore',
];

/** `npm run test:faults`: one file at a time. */
export default {
  ...config,
  testMatch: aloneFolders.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  maxWorkers: 1,
};
