import type { CallOptions, Client } from '../client/index.ts';
import { defusedLine } from '../text/fence.ts';
import { ToolError } from './desk.ts';

/** The mailbox that an agent means. */
export interface MailboxMeant {
  readonly id: string;
  readonly subdomain: string;
  /** The recipient to look for, if an address was given; null for all mail of the mailbox. */
  readonly to: string | null;
}

/**
 * Finds a mailbox by its id, its subdomain or an address whose mail it takes; the inbox if none is named. Mail to an
 * address of no mailbox comes to the inbox. Throws a {@link ToolError} if there is none.
 */
export async function findMailboxMeant(
  client: Client,
  named: string | undefined,
  options: CallOptions,
): Promise<MailboxMeant> {
  const readable = (await client.listMailboxes(options)).map(({ id, subdomain }) => ({
    id,
    subdomain: subdomain ?? '',
  }));
  const wanted = named?.trim().toLowerCase() ?? '';
  if (wanted.includes('@')) return byAddress(client, readable, wanted, options);
  const found =
    wanted === ''
      ? inboxOf(readable)
      : readable.find(({ id, subdomain }) => id.toLowerCase() === wanted || subdomain === wanted);
  if (found !== undefined) return { ...found, to: null };
  const others = readable.slice(0, 10).map(({ subdomain }) => subdomain);
  throw new ToolError(
    `No mailbox ${named === undefined ? 'inbox' : defusedLine(named, 60)}. There are: ${others.join(', ') || 'none'}. create_mailbox makes one.`,
  );
}

type Readable = Pick<MailboxMeant, 'id' | 'subdomain'>;

/** The seeded mailbox, or the only one. */
function inboxOf(readable: readonly Readable[]): Readable | undefined {
  return readable.find(({ subdomain }) => subdomain === 'inbox') ?? (readable.length === 1 ? readable[0] : undefined);
}

async function byAddress(
  client: Client,
  readable: readonly Readable[],
  address: string,
  options: CallOptions,
): Promise<MailboxMeant> {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const own = new Set(readable.map(({ id }) => id));
  const settings = (await client.hasLocalApi())
    ? (await client.local.listMailboxes(options)).flatMap((one) =>
        one.id !== null && own.has(one.id) ? [{ ...one, id: one.id, subdomain: one.subdomain ?? '' }] : [],
      )
    : [];
  const takes = (pattern: string) => settings.find(({ addresses }) => addresses.includes(pattern));
  const found: Readable | undefined =
    takes(address) ??
    settings.find((one) => one.address === `*@${domain}`) ??
    takes(`*@${domain}`) ??
    readable.find(({ subdomain }) => subdomain !== '' && domain.startsWith(`${subdomain}.`)) ??
    inboxOf(readable);
  if (found === undefined) throw new ToolError('No mailbox takes mail to that address. create_mailbox makes one.');
  return { id: found.id, subdomain: found.subdomain, to: address };
}
