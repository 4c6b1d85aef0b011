export { waitForGrant } from './chain/wait-for-grant.ts';
