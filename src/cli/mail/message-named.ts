import type { MessageFacts } from '../../client/connection/local-resources.ts';
import { onRefusal } from '../../client/errors.ts';
import type { Client } from '../../client/index.ts';
import { mailboxPage } from '../../client/mailbox/any-kind.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { findMailbox, type MeantMailbox } from '../connect.ts';
import { firstIdBeyond, isId, listNumber, type NamedKind, noSuch, prefixOf, throwNoSuch } from '../named.ts';
import { PAGE, SEARCH_PATIENCE } from './count.ts';

export interface MessageMeant {
  readonly mailboxId: string;
  readonly id: string;
  /** Its facts, if they were asked for to find it. */
  readonly facts?: MessageFacts;
}

/**
 * Finds a message by its id, the beginning of its id, or its number in the list, where 1 is the newest. Returns the
 * newest message of the mailbox if `named` is null. Throws a {@link UserError} if there is none, or if several ids
 * begin alike.
 */
export async function messageNamed(
  client: Client,
  named: string | null,
  mailboxName: string | null,
): Promise<MessageMeant> {
  if (named !== null && isId(named)) return byId(client, named.toUpperCase(), mailboxName);
  const number = named === null ? 1 : listNumber(named);
  if (number !== null) {
    const mailbox = await findMailbox(client, mailboxName);
    return { mailboxId: mailbox.id, id: await byNumber(client, mailbox, number) };
  }
  const prefix = prefixOf(named ?? '');
  if (prefix === null)
    throw new ConfigError(
      `${named}: expected an id, the first letters of one, or a number, where 1 is the newest; \`mailcap messages list\` shows them.`,
    );
  return byPrefix(client, prefix, mailboxName);
}

/** Returns a position in a list as an id, which need not exist; null if none is given. */
export async function positionNamed(
  client: Client,
  named: string | null,
  mailbox: MeantMailbox,
): Promise<string | null> {
  if (named === null || isId(named)) return named;
  const number = listNumber(named);
  if (number !== null) return byNumber(client, mailbox, number);
  if (prefixOf(named) === null) throw new ConfigError(`--before: expected an id or a number, got ${named}.`);
  return (await messageNamed(client, named, mailbox.subdomain)).id;
}

async function byId(client: Client, id: string, mailboxName: string | null): Promise<MessageMeant> {
  // The local API finds the mailbox of a message.
  if (mailboxName === null && (await client.hasLocalApi())) {
    // Without access to the local API the mailboxes are searched one by one.
    const facts = await client.local
      .getMessageFacts(id)
      .catch(throwNoSuch(MESSAGE, id))
      .catch(onRefusal('unauthorized', null));
    if (facts !== null) return { mailboxId: facts.mailboxId, id, facts };
  }
  return { mailboxId: (await findMailbox(client, mailboxName)).id, id };
}

async function byNumber(client: Client, { id, subdomain }: MeantMailbox, number: number): Promise<string> {
  let before: string | undefined;
  for (let left = number; ; left -= PAGE) {
    const page = await mailboxPage(client, id, { limit: Math.min(PAGE, left), before }, SEARCH_PATIENCE);
    const found = left <= PAGE ? page[left - 1] : undefined;
    if (found !== undefined) return found.id;
    before = page.at(-1)?.id;
    if (page.length < PAGE) {
      const count = number - left + page.length;
      if (count === 0)
        throw new UserError(`there is no message in ${subdomain} yet; \`mailcap messages wait\` waits for one.`);
      throw new UserError(
        `${number}: ${subdomain} holds ${count} ${count === 1 ? 'message' : 'messages'}; 1 is the newest.`,
      );
    }
  }
}

/** Finds a message by the beginning of its id, in the named mailbox or in all that the key can read. */
async function byPrefix(client: Client, prefix: string, mailboxName: string | null): Promise<MessageMeant> {
  const mailboxes = mailboxName === null ? await client.listMailboxes() : [await findMailbox(client, mailboxName)];
  const found: MessageMeant[] = [];
  for (const { id: mailboxId } of mailboxes) {
    // The list is read from the last id that begins like this, newest first.
    const page = await mailboxPage(client, mailboxId, { limit: 2, before: firstIdBeyond(prefix) }, SEARCH_PATIENCE);
    for (const { id } of page) if (id.startsWith(prefix)) found.push({ mailboxId, id });
    if (found.length > 1) throw new UserError(`${prefix}: several ids begin with these letters; give more of the id.`);
  }
  const [only] = found;
  if (only === undefined) throw noSuch(MESSAGE, prefix);
  return only;
}

export const MESSAGE: NamedKind = { what: 'message', list: 'messages list' };
