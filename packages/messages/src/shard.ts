/** As many as the partitions of the topics they order: more would only make records smaller. */
const shards = 8;

/**
 * The key of bulk messages: what belongs together has the same one, and few values let many messages share a record.
 * @param id what belongs together: a UUID or hex, of which the last digits are as good as random
 */
export const shardOf = (id: string): string => String(Number.parseInt(id.slice(-2), 16) % shards);
