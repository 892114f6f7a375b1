import { setImmediate } from 'node:timers/promises';
import { type ReadAddress, readAddresses } from '../text/addresses.ts';

/** The number of characters that are read. A hostile list of a whole header would take a second. */
const MOST_CHARACTERS = 16_000;
/** The length, in characters, from which a list is parsed in its own turn of the event loop. */
const FEW_CHARACTERS = 2_000;

/**
 * Lists the addresses of a decoded address list, also those of groups. It leaves out text that is no address, and
 * everything after the first 16,000 characters.
 */
export async function mailboxesIn(list: string | null): Promise<readonly ReadAddress[]> {
  if (list === null) return [];
  if (list.length > FEW_CHARACTERS) await setImmediate();
  return readAddresses(readPart(list)).filter(({ address }) => address !== '');
}

/** Cuts a list that is too long, and leaves out its last, incomplete address. */
function readPart(list: string): string {
  if (list.length <= MOST_CHARACTERS) return list;
  const comma = list.lastIndexOf(',', MOST_CHARACTERS);
  return list.slice(0, comma < 0 ? MOST_CHARACTERS : comma);
}
