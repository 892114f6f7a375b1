import { readAddresses } from '../../text/addresses.ts';
import { isUrl } from '../../text/is-url.ts';

/** One sender or recipient of a message. */
export interface Address {
  /** The decoded display name; null if there is none. */
  readonly name: string | null;
  /**
   * The address alone, such as `ada@x.test`. It is empty if the header has words but no address.
   *
   * @example expect(message.to[0]?.address).toBe(mailbox.address);
   */
  readonly address: string;
  /** Returns the name and the address as a header has them: `Ada <ada@x.test>`. */
  toString(): string;
}

/**
 * Reads an address header leniently, as the server does: a damaged name takes no other with it. A group is replaced by its
 * members. Returns an empty list
 * for null.
 */
export function addressesOf(header: string | null): Address[] {
  if (header === null) return [];
  return readAddresses(header).map(({ name, address }) => written(name === '' ? null : name, address));
}

/** Returns the first address of a header. Its name is null and its address empty if there is none. */
export function addressOf(header: string | null): Address {
  return addressesOf(header)[0] ?? written(null, '');
}

/** Tells whether a text is a complete address such as `ada@x.test`. A part such as `ada@` or `@x.test` is not. */
export function isWholeAddress(text: string): boolean {
  return /^[^\s@<>,;:"()]+@(?:[^\s@<>,;:"()]+\.[^\s@<>,;:"().\d][^\s@<>,;:"().]+\.?|localhost)$/.test(text.trim());
}

/** Converts an address to the form in which addresses are compared: lower case, with the domain as DNS has it. */
export function comparable(address: string): string {
  const lower = address.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  if (at < 0) return lower;
  const url = `http://${lower.slice(at + 1).replace(/\.$/, '')}`;
  return `${lower.slice(0, at).normalize('NFC')}@${isUrl(url) ? new URL(url).hostname : lower.slice(at + 1)}`;
}

/** Creates a plain object. Its `toString` is not enumerable, so that two equal addresses compare as equal. */
function written(name: string | null, address: string): Address {
  return Object.defineProperty({ name, address }, 'toString', { value: () => write(name, address) });
}

function write(name: string | null, address: string): string {
  if (name === null) return address;
  const safe = /["(),:;<>@[\\\]]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
  return address === '' ? safe : `${safe} <${address}>`;
}
