export { checksumAddress, parseAddress } from './address.ts';
export { type CollectionName, cidOfCollectionName, foldName, parseCollectionName } from './collection-name.ts';
export { cidOfContent, cidOfHash, startContentHash } from './content-hash.ts';
export { bytesOfHex, type Hex, hasAddressShape, hexOfBytes, isZeroCid, parseCid, zeroCid } from './hex.ts';
export { keccak256 } from './keccak.ts';
export { newId, timeOfId } from './new-id.ts';
export { faultOfText } from './text.ts';
export { receiptTime } from './time.ts';
