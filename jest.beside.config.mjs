import { aloneFolders } from './jest.alone.config.mjs';
import config from './jest.config.mjs';

/** `npm test`, first part: two files at a time, since a file waits for servers about half of its time. */
export default {
  ...config,
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...aloneFolders.map((folder) => `<rootDir>/${folder}/`)],
  maxWorkers: 2,
};
