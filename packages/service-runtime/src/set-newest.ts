/** Sets an entry as the newest of a map, and removes the oldest when there are more than `maxEntries`. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxEntries) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
