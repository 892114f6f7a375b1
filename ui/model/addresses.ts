/** Splits the value of an address header at the commas between addresses. A quoted name can hold a comma. */
export function splitAddresses(value: string): readonly string[] {
  const found: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at <= value.length; at++) {
    const character = value[at];
    if (isQuoted && character === '\\') at++;
    else if (character === '"') isQuoted = !isQuoted;
    if (at < value.length && (isQuoted || character !== ',')) continue;
    const one = value.slice(from, at).trim();
    if (one !== '') found.push(one);
    from = at + 1;
  }
  return found;
}
