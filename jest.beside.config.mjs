import { aloneFolders } from './jest.alone.config.mjs';
import config from './jest.config.mjs';

/** `npm test`, first part: a file for each core, since a file waits for servers about half of its time. */
export default {
  ...config,
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...aloneFolders.map((folder) => `<rootDir>/${folder}/`)],
  maxWorkers: '100%',
};
