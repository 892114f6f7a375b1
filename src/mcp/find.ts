import { onRefusal } from '../client/errors.ts';
import { type CallOptions, type Client, MailcapError, type MessageDetailResponse } from '../client/index.ts';
import { readAnyMessage } from '../client/mailbox/any-kind.ts';
import { defusedLine } from '../text/fence.ts';
import { ToolError } from './tool-context.ts';

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
    ? (await client.local.listAllMailboxes(options)).flatMap((one) =>
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

/** Returns a message by its id, in whatever mailbox it is. Throws a {@link ToolError} if there is none. */
export async function findMessage(client: Client, given: string, options: CallOptions): Promise<MessageDetailResponse> {
  const id = given.trim().toUpperCase();
  if (!/^[0-9A-Z]{26}$/.test(id)) throw noMessageError();
  const absent = onRefusal('not_found', null);
  const mailboxes = (await client.hasLocalApi())
    ? [(await client.local.getMessageFacts(id, options).catch(absent))?.mailboxId].filter((one) => one !== undefined)
    : (await client.listMailboxes(options)).map((one) => one.id);
  for (const mailboxId of mailboxes) {
    const message = await readAnyMessage(client, mailboxId, id, options).catch(absent);
    if (message !== null) return message;
  }
  throw noMessageError();
}

/** Returns the error that a message does not exist. */
function noMessageError(): ToolError {
  return new ToolError('No such message. message_id is 26 letters and digits, as list_messages gives them.');
}

/** The webhook that an agent means, with its URL. */
interface WebhookMeant {
  readonly id: string;
  readonly url: string;
}

/** Finds a webhook by its id, its name or its URL. Throws a {@link ToolError} if there is none. */
export async function findWebhook(client: Client, named: string, options: CallOptions): Promise<WebhookMeant> {
  const wanted = named.trim();
  const base = await baseOf(client, options);
  const found = (await client.listWebhooks(options)).find(
    ({ id, name, key }) => id === wanted.toUpperCase() || name === wanted || `${base}/${key}` === wanted,
  );
  if (found !== undefined) return { id: found.id, url: `${base}/${found.key}` };
  throw new ToolError(
    `No webhook ${defusedLine(named, 60)}. wait_for_webhook without webhook makes one and gives its URL.`,
  );
}

export async function createWebhook(client: Client, options: CallOptions): Promise<WebhookMeant> {
  const { id, key } = await client.createWebhook({ name: 'agent' }, options);
  return { id, url: `${await baseOf(client, options)}/${key}` };
}

async function baseOf(client: Client, options: CallOptions): Promise<string> {
  const { webhookBaseUrl } = await client.server();
  if (webhookBaseUrl !== null) return webhookBaseUrl;
  if (await client.hasLocalApi()) return (await client.local.getInfo(options)).webhookBaseUrl;
  throw new MailcapError('unknown_webhook_base_url', 'The beginning of webhook URLs is not known.', {
    hint: 'Set MAILCAP_WEBHOOK_BASE_URL.',
  });
}
