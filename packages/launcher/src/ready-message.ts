import type { Connection } from './stack.ts';

/** Where the key of the first account is kept, for commands to read; relative to the repository. */
export const apiKeyFile = '.local/api-key';

/** The message at readiness: the address, where the key is, and a first stamp to copy. Contains no key (I10). */
export const readyMessage = (connection: Connection, seconds: number): string => `
ready after ${seconds.toFixed(1)} s: ${connection.rootUrl}/

  to try    ${connection.rootUrl}/swagger/
  API key   ${connection.apiKey.slice(0, 8)}…, in ${apiKeyFile}
  account   ${connection.userAddress}
  chain     ${connection.chainId} at ${connection.rpcUrl}, contract ${connection.contractAddress}
  more      .local/connection.json, logs in .local/logs

Stamp a file:

  curl -H "Authorization: Bearer $(cat ${apiKeyFile})" -F file=@README.md -F collection_name=First ${connection.rootUrl}/api/v1/stamps
`;
