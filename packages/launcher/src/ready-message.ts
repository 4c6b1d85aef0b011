import type { Connection } from './stack.ts';

/** What is shown when the main job can be done: where, with which key, and a first stamp to copy. */
export const readyMessage = (connection: Connection, seconds: number): string => `
ready after ${seconds.toFixed(1)} s: ${connection.rootUrl}/api/v1

  API key   ${connection.apiKey}
  account   ${connection.userAddress}
  chain     ${connection.chainId} at ${connection.rpcUrl}, contract ${connection.contractAddress}
  more      .local/connection.json, logs in .local/logs

Stamp a file:

  curl -H 'Authorization: Bearer ${connection.apiKey}' -F file=@README.md -F collection_name=First ${connection.rootUrl}/api/v1/stamps
`;
