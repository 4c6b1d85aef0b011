export type { Secret } from './derive-keys.ts';
export { createOperatorKeys, type OperatorKey, type OperatorKeys } from './operator-keys.ts';
export { createSeedCustody, type SignerPort } from './seed-custody.ts';
export { readOrCreateSeedFile, seedFromHexOrFile } from './seed-file.ts';
export { signDigestWithKey } from './sign-digest.ts';
export { hashTypedData, type TypedData, type TypedField } from './typed-data.ts';
