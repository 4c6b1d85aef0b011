/**
 * Each compares the holder and acts in one step of the server, so that nobody frees or renews a lock that has passed
 * to another meanwhile. KEYS[1] is the lock, ARGV[1] the holder.
 */

/** ARGV[2]: ttl in ms, ARGV[3]: a holder who is dead, or ''. 1 when the lock is the holder's now, else whose it is. */
export const acquireScript = `
local current = redis.call('GET', KEYS[1])
if current and current ~= ARGV[1] and current ~= ARGV[3] then return current end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** ARGV[2]: ttl in ms. 1 when it was renewed. */
export const extendScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** ARGV[2]: the channel, ARGV[3]: the outcome. The followers hear of it only from who holds the lock. */
export const releaseScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1`;
