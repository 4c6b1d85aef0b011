export type { Followed, Follower } from './follower.ts';
export { createIdentityLocks, type IdentityLocks, type IdentityLocksOptions } from './identity-locks.ts';
