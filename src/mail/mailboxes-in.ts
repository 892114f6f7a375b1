import { setImmediate } from 'node:timers/promises';

/** One address of a header field, with its display name. */
export interface NamedAddress {
  /** Without quotes; '' if there is none. */
  readonly name: string;
  readonly address: string;
}

/** The number of characters that are read. A hostile list of a whole header would take a second. */
const MOST_CHARACTERS = 16_000;
/** The length, in characters, from which a list is parsed in its own turn of the event loop. */
const FEW_CHARACTERS = 2_000;

/**
 * Lists the addresses of a decoded address list, also those of groups. It leaves out text that is no address, and
 * everything after the first 16,000 characters.
 */
export async function mailboxesIn(list: string | null): Promise<readonly NamedAddress[]> {
  if (list === null) return [];
  const { default: addressparser } = await import('nodemailer/lib/addressparser');
  if (list.length > FEW_CHARACTERS) await setImmediate();
  return addressparser(readPart(list), { flatten: true }).flatMap(({ name, address }) =>
    address ? [{ name: name ?? '', address }] : [],
  );
}

/** Cuts a list that is too long, and leaves out its last, incomplete address. */
function readPart(list: string): string {
  if (list.length <= MOST_CHARACTERS) return list;
  const comma = list.lastIndexOf(',', MOST_CHARACTERS);
  return list.slice(0, comma < 0 ? MOST_CHARACTERS : comma);
}
