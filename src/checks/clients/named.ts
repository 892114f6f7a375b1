import { CLIENTS, DATA } from './clients.ts';

// The names of the clients are separate from the support data, which is loaded only when a check runs.

export type ClientId = keyof typeof CLIENTS;

/** The ids of all clients. Their order is that of the letters of a feature. */
export const CLIENT_IDS = Object.keys(CLIENTS) as readonly ClientId[];

/** The clients that are checked by default: the newest versions of the most popular ones. */
const USUAL: readonly string[] = ['apple-mail', 'gmail', 'outlook', 'yahoo'];
/** A client that no longer exists: Windows Mail ended in 2024. */
const ENDED: readonly ClientId[] = ['outlook.windows-mail'];

/** The version and the date of the data. */
export const CLIENT_DATA: { readonly source: string; readonly version: string; readonly date: string } = DATA;

export function clientName(client: ClientId): string {
  return CLIENTS[client];
}

/**
 * Returns the clients that the names mean: an id such as `outlook.windows`, a family such as `gmail`, or `all`. Returns
 * null if a name means none. No name means the usual clients.
 */
export function clientsNamed(names: readonly string[]): readonly ClientId[] | null {
  if (names.length === 0) return CLIENT_IDS.filter((id) => USUAL.includes(familyOf(id)) && !ENDED.includes(id));
  const found = new Set<ClientId>();
  for (const name of names) {
    const lower = name.toLowerCase();
    const meant = lower === 'all' ? CLIENT_IDS : CLIENT_IDS.filter((id) => id === lower || familyOf(id) === lower);
    if (meant.length === 0) return null;
    for (const id of meant) found.add(id);
  }
  return CLIENT_IDS.filter((id) => found.has(id));
}

function familyOf(id: ClientId): string {
  return id.slice(0, id.indexOf('.'));
}
