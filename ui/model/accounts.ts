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
