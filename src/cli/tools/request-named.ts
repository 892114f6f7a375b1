import type { Client, WebhookView } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { isId, listNumber, prefixOf } from '../named.ts';
import { findWebhook } from './webhooks.ts';

const PAGE = 200;

/**
 * Finds the id of a captured request by its id, the beginning of its id, or its number in the list, where 1 is the
 * newest. The interceptor is the one that `webhook` names, else the only one there is. Throws a {@link UserError} if
 * none or several requests fit.
 */
export async function requestNamed(client: Client, named: string, webhook: string | null): Promise<string> {
  if (isId(named)) return named.toUpperCase();
  const [number, prefix] = [listNumber(named), prefixOf(named)];
  if (number !== null) return byNumber(client, await onlyWebhook(client, named, webhook), number);
  if (prefix === null)
    throw new UserError(
      `${named}: expected the id of a request, the first letters of one, or a number, where 1 is the newest; \`mailcap webhooks requests <webhook>\` shows them.`,
    );
  const webhooks = webhook === null ? await client.listWebhooks() : [await findWebhook(client, webhook)];
  const found = (await Promise.all(webhooks.map(({ id }) => startingWith(client, id, prefix)))).flat();
  const [one, another] = found;
  if (one === undefined) throw noSuchRequest(named);
  if (another !== undefined)
    throw new UserError(`${named}: several ids begin with these letters; give more of the id.`);
  return one;
}

/** Returns the error that a request does not exist. */
export function noSuchRequest(named: string): UserError {
  return new UserError(`${named}: no such request; \`mailcap webhooks requests <webhook>\` shows them.`);
}

async function onlyWebhook(client: Client, named: string, webhook: string | null): Promise<WebhookView> {
  if (webhook !== null) return findWebhook(client, webhook);
  const [only, another] = await client.listWebhooks();
  if (only === undefined) throw new UserError('there is no interceptor; `mailcap webhooks create <name>` creates one.');
  if (another === undefined) return only;
  throw new UserError(`${named}: name the interceptor with --webhook <name>; \`mailcap webhooks list\` shows them.`);
}

async function byNumber(client: Client, { id, name, requestCount }: WebhookView, number: number): Promise<string> {
  const { items } = await client.listWebhookRequests(id, { page: number, pageSize: 1 });
  const [request] = items;
  if (request !== undefined) return request.id;
  const held = requestCount === 0 ? 'captured nothing yet' : `holds ${requestCount}; 1 is the newest`;
  throw new UserError(`${number}: ${name ?? id} ${held}.`);
}

/** Lists the ids of an interceptor that begin like this, newest first. */
async function startingWith(client: Client, webhookId: string, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const { items } = await client.listWebhookRequests(webhookId, { page, pageSize: PAGE });
    found.push(...items.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
    const last = items.at(-1)?.id;
    if (items.length < PAGE || last === undefined || last < prefix) return [...new Set(found)];
  }
}
