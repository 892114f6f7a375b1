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
export function increase<Key>(map: Map<Key, number>, key: Key, by: number): void {
  const sum = (map.get(key) ?? 0) + by;
  if (sum === 0) map.delete(key);
  else map.set(key, sum);
}

/** Adds a value to the group of its key. */
export function addTo<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}

/**
 * Divides values by a key, as `Map.groupBy` does, which Node.js 20 does not have. The groups, and the values of each, are
 * in the order in which they come.
 */
export function grouped<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}
