/** Returns the value of a key, which it creates on first use. */
export function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}

/** Adds to the number of a key. A key whose number is 0 has no entry. */
export function addTo<Key>(map: Map<Key, number>, key: Key, by: number): void {
  const sum = (map.get(key) ?? 0) + by;
  if (sum === 0) map.delete(key);
  else map.set(key, sum);
}
