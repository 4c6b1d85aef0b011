import { aloneFolders } from './jest.alone.config.mjs';
import config from './jest.config.mjs';

/** `npm test`: all but what needs the machine to itself. */
export default {
  ...config,
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...aloneFolders.map((folder) => `<rootDir>/${folder}/`)],
};
