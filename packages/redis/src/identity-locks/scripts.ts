/**
 * Each compares holders and acts atomically, so that nobody frees or renews a lock that another has acquired meanwhile.
 * KEYS are locks; the reply has an item for each.
 */

/**
 * ARGV[1]: ttl in ms; then two a lock: the holder, and a holder who is dead, or ''. 1 if the lock is now the holder's,
 * else whose it is.
 */
export const acquireScript = `
local answers = {}
for i, key in ipairs(KEYS) do
  local holder, dead = ARGV[2 * i], ARGV[2 * i + 1]
  local current = redis.call('GET', key)
  if current and current ~= holder and current ~= dead then
    answers[i] = current
  else
    redis.call('SET', key, holder, 'PX', ARGV[1])
    answers[i] = 1
  end
end
return answers`;

/** ARGV[1]: the holder, ARGV[2]: ttl in ms. 1 when it was renewed. */
export const extendScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** ARGV, three a lock: the holder, the channel, the outcome. Followers get it only from the lock's holder. */
export const releaseScript = `
for i, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[3 * i - 2] then
    redis.call('DEL', key)
    redis.call('PUBLISH', ARGV[3 * i - 1], ARGV[3 * i])
  end
end
return #KEYS`;
