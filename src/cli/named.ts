import { isRefusedAs } from '../client/errors.ts';
import { UserError } from '../config/user-error.ts';
import { harmlessLine } from '../text/harmless.ts';
import { nearest } from '../text/nearest.ts';
import { ULID_DIGITS } from '../text/ulid-digits.ts';

const SHORTEST_PREFIX = 4;

export function isId(text: string): boolean {
  return /^[0-7][0-9a-z]{25}$/i.test(text);
}

/**
 * Returns the position in a list that a text gives; null for anything else. Every id of the next centuries begins with
 * 0, so a number is no id.
 */
export function listNumber(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** Returns the beginning of an id in upper case, as ids are written; null if no id begins like this. */
export function prefixOf(text: string): string | null {
  return text.length >= SHORTEST_PREFIX && /^0[0-9a-hjkmnp-tv-z]{0,25}$/i.test(text) ? text.toUpperCase() : null;
}

const ID_LENGTH = 26;

/** Returns the least id after all that begin with a prefix, which {@link prefixOf} returned. */
export function firstIdBeyond(prefix: string): string {
  const head = prefix.replace(/(?<!Z)Z+$/, '');
  const next = ULID_DIGITS[ULID_DIGITS.indexOf(head.slice(-1)) + 1] ?? '';
  return `${head.slice(0, -1)}${next}`.padEnd(ID_LENGTH, '0');
}

/**
 * Finds an item by its id, the beginning of its id, or its name. `what` names the kind of item in an error, and `list`
 * the command that lists it.
 */
export function byIdOrName<Item extends { readonly id: string }>(
  all: readonly Item[],
  named: string,
  nameOf: (item: Item) => string | null,
  what: string,
  list: string,
): Item {
  const byId = all.find(({ id }) => id === named.toUpperCase());
  if (byId !== undefined) return byId;
  const exact = all.filter((item) => nameOf(item) === named);
  const byName = exact.length > 0 ? exact : all.filter((item) => nameOf(item)?.toLowerCase() === named.toLowerCase());
  const prefix = prefixOf(named);
  const found = byName.length > 0 ? byName : prefix === null ? [] : all.filter(({ id }) => id.startsWith(prefix));
  const [one, another] = found;
  if (one === undefined) {
    const names = all.flatMap((item) => nameOf(item) ?? []);
    const meant = nearest(named, names);
    const hint = meant === null ? `\`mailcap ${list} list\` shows them.` : `did you mean ${harmlessLine(meant, 100)}?`;
    throw new UserError(`${named}: no such ${what}; ${hint}`);
  }
  if (another !== undefined)
    throw new UserError(`${named}: ${found.length} items have this name; \`mailcap ${list} list\` shows their ids.`);
  return one;
}

/** A kind of items, and the command that lists them. */
export interface NamedKind {
  readonly what: string;
  readonly list: string;
}

export function noSuch({ what, list }: NamedKind, named: string): UserError {
  return new UserError(`${named}: no such ${what}; \`mailcap ${list}\` shows them.`);
}

/** Returns a handler that explains the refusal of an item that does not exist, and throws any other error. */
export function throwNoSuch(kind: NamedKind, named: string): (error: unknown) => never {
  return (error) => {
    throw isRefusedAs(error, 'not_found') ? noSuch(kind, named) : error;
  };
}
