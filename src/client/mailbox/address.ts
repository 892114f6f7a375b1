import parseAddresses from 'nodemailer/lib/addressparser';

/** One sender or recipient of a message. */
export interface Address {
  /** The display name, decoded; null where there is none. */
  readonly name: string | null;
  /**
   * The address alone; empty where the header has words and no address.
   *
   * @example expect(message.to[0]?.address).toBe(mailbox.address);
   */
  readonly address: string;
  /** Both, as a header has them: `Ada <ada@x.test>`. */
  toString(): string;
}

/** Reads an address header as forgivingly as mail programs do; groups stand for their members. Nothing for null. */
export function addressesOf(header: string | null): Address[] {
  if (header === null) return [];
  return parseAddresses(header, { flatten: true })
    .filter(({ name, address }) => name !== '' || address !== '')
    .map(({ name, address }) => written(name === '' ? null : name, address));
}

/** The first address of a header; without name and address where there is none. */
export function addressOf(header: string | null): Address {
  return addressesOf(header)[0] ?? written(null, '');
}

/** Tells whether a text is a whole address, as `ada@x.test`, and no part of one, as `ada@` or `@x.test`. */
export function isWholeAddress(text: string): boolean {
  return /^[^\s@<>,;:"()]+@(?:[^\s@<>,;:"()]+\.[^\s@<>,;:"().\d][^\s@<>,;:"().]+\.?|localhost)$/.test(text.trim());
}

/** The form in which addresses are compared: no case, the domain as DNS has it. */
export function comparable(address: string): string {
  const lower = address.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  if (at < 0) return lower;
  const url = `http://${lower.slice(at + 1).replace(/\.$/, '')}`;
  return `${lower.slice(0, at).normalize('NFC')}@${URL.canParse(url) ? new URL(url).hostname : lower.slice(at + 1)}`;
}

/** A plain object, which compares as one: nobody enumerates its `toString`. */
function written(name: string | null, address: string): Address {
  return Object.defineProperty({ name, address }, 'toString', { value: () => write(name, address) });
}

function write(name: string | null, address: string): string {
  if (name === null) return address;
  const safe = /["(),:;<>@[\\\]]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
  return address === '' ? safe : `${safe} <${address}>`;
}
