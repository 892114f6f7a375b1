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

/** The texts by which an authenticator tells whose account it belongs to. */
interface Named {
  readonly name: string;
  readonly label: string | null;
}

/** Returns the authenticators of the accounts that a mail went to: their name or label contains one of its addresses. */
export function authenticatorsOf<A extends Named>(authenticators: readonly A[], recipients: readonly string[]): A[] {
  const addresses = recipients
    .map((address) => address.trim().toLowerCase())
    .filter((address) => address.includes('@'));
  return authenticators.filter(({ name, label }) => {
    const words = `${name} ${label ?? ''}`.toLowerCase().split(/[\s,;:<>()"'/]+/);
    return addresses.some((address) => words.includes(address));
  });
}
