import type { Client, WebhookRequestSummary, WebhookView } from '../../client/index.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { shorten } from '../../text/shorten.ts';
import { plainReason } from '../../text/unreached.ts';
import { isUrl } from '../../text/url.ts';
import { cutMiddle } from '../../text/width.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { isId, listNumber, type NamedKind, noSuch, prefixOf, throwNoSuch } from '../named.ts';
import { print, printJson, say, writeMoment, writeSize } from '../output.ts';
import { numberedColumns, printTable } from '../table.ts';
import { exchange, targetBelow } from './outgoing.ts';
import { findWebhook, showWebhook } from './webhooks.ts';
import { bodyText, forwarded, printRequest, readRequest, requestBytes } from './whole-request.ts';

const PAGE = 200;
const REQUEST: NamedKind = { what: 'request', list: 'webhooks requests <webhook>' };
const DEFAULT_LIMIT = 50;
/** The timeout of a request, in milliseconds. A forward by the server has the same. */
const PATIENCE_MS = 10_000;
const SHOWN_OF_ANSWER = 2_000;

export async function listRequests(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id, name, requestCount } = await findWebhook(client, args.operand() ?? '');
  const wanted = args.count('limit') ?? DEFAULT_LIMIT;
  const requests: WebhookRequestSummary[] = [];
  const pageSize = Math.max(1, Math.min(PAGE, wanted));
  for (let page = 1; requests.length < wanted; page++) {
    const { items } = await client.listWebhookRequests(id, { page, pageSize });
    requests.push(...items.slice(0, wanted - requests.length));
    if (items.length < pageSize) break;
  }
  const rows = requests.map((request, at) => ({ ...request, number: at + 1 }));
  if (args.isOn('json')) printJson(requests);
  else if (requests.length > 0)
    printTable(rows, [
      ...numberedColumns(rows),
      { title: 'RECEIVED', of: ({ receivedAt }) => writeMoment(receivedAt).slice(5), from: 60 },
      { title: 'METHOD', of: ({ method }) => method },
      { title: 'PATH', of: ({ path }) => path, flexible: true, shorten: cutMiddle },
      { title: 'SIZE', of: ({ sizeBytes }) => writeSize(sizeBytes), align: 'right', from: 60 },
      { title: 'ANSWER', of: ({ responseStatus }) => responseStatus, align: 'right' },
      { title: 'FORWARD', of: forwarded, from: 70 },
    ]);
  if (requests.length === 0) say(`${name ?? id} captured nothing yet.`);
  else if (requestCount > requests.length)
    say(
      `${requests.length.toLocaleString('en-US')} of ${requestCount.toLocaleString('en-US')} requests; --limit <number> shows more.`,
    );
  return 0;
}

/** Shows a webhook by its name, or a captured request with its headers and body. */
export async function show(args: Arguments): Promise<number> {
  const client = await connect(args);
  const named = args.operand() ?? '';
  const isOfRequest = args.text('webhook') !== null || listNumber(named) !== null;
  const webhook = isOfRequest ? null : await webhookOrNull(client, named);
  if (webhook !== null) return showWebhook(client, args, webhook);
  const id = await requestNamed(client, named, args.text('webhook'));
  const request = await client.getCapturedRequest(id).catch(throwNoSuch(REQUEST, named));
  if (args.isOn('json')) printJson(request);
  else printRequest(await readRequest(client, request));
  return 0;
}

/** Finds a webhook; null if the name may name a request. Throws if it can name neither. */
async function webhookOrNull(client: Client, named: string) {
  try {
    return await findWebhook(client, named);
  } catch (error) {
    if (error instanceof UserError && (isId(named) || prefixOf(named) !== null)) return null;
    throw error;
  }
}

/** Replays a request: by the server to the forward URL of its webhook, or from here to the URL of --to. */
export async function replayRequest(args: Arguments): Promise<number> {
  const client = await connect(args);
  const to = args.text('to');
  if (to !== null && !(/^https?:\/\//i.test(to) && isUrl(to)))
    throw new ConfigError(`--to: expected a URL, as in http://127.0.0.1:3000/hook, got ${JSON.stringify(to)}.`);
  const named = args.operand() ?? '';
  const id = await requestNamed(client, named, args.text('webhook'));
  if (to !== null) return replayTo(client, args, id, to, named);
  await client.replayWebhookRequest(id).catch(throwNoSuch(REQUEST, named));
  const request = await client.getCapturedRequest(id);
  if (args.isOn('json')) printJson(request);
  else print(`${forwarded(request)}${request.forwardError === null ? '' : `: ${plainReason(request.forwardError)}`}`);
  return request.forwardStatus === 3 ? EXIT.failed : EXIT.done;
}

/** Sends a captured request again to another URL, with its original method, headers and bytes. */
async function replayTo(client: Client, args: Arguments, id: string, to: string, named: string): Promise<number> {
  const view = await client.getCapturedRequest(id).catch(throwNoSuch(REQUEST, named));
  const request = await readRequest(client, view);
  const { headers } = request;
  // The sub-path and the query of the request follow the URL.
  const target = targetBelow(to, view.path, view.query);
  const outgoing = { method: view.method ?? 'POST', headers, body: requestBytes(request), timeoutMs: PATIENCE_MS };
  const { status, beginning, error } = await exchange(target, outgoing);
  if (status === null) throw new UserError(`the request to ${target.origin} failed: ${error}.`, EXIT.failed);
  const [url, body] = [`${target.origin}${target.path}`, bodyText(beginning)];
  if (args.isOn('json')) printJson({ id, url, status, body });
  else {
    print(`${status} from ${url}`);
    if (body.trimEnd() !== '') print(shorten(body.trimEnd(), SHOWN_OF_ANSWER));
  }
  return status >= 400 ? EXIT.failed : EXIT.done;
}

/**
 * Finds the id of a captured request by its id, the beginning of its id, or its number in the list, where 1 is the
 * newest. The webhook is the one that `webhook` names, else the only one there is. Throws a {@link UserError} if
 * none or several requests fit.
 */
async function requestNamed(client: Client, named: string, webhook: string | null): Promise<string> {
  if (isId(named)) return named.toUpperCase();
  const [number, prefix] = [listNumber(named), prefixOf(named)];
  if (number !== null) return byNumber(client, await onlyWebhook(client, named, webhook), number);
  if (prefix === null)
    throw new ConfigError(
      `${named}: expected the id of a request, the first letters of one, or a number, where 1 is the newest; \`mailcap webhooks requests <webhook>\` shows them.`,
    );
  const webhooks = webhook === null ? await client.listWebhooks() : [await findWebhook(client, webhook)];
  const found = (await Promise.all(webhooks.map(({ id }) => startingWith(client, id, prefix)))).flat();
  const [one, another] = found;
  if (one === undefined) throw noSuch(REQUEST, named);
  if (another !== undefined)
    throw new UserError(`${named}: several ids begin with these letters; give more of the id.`);
  return one;
}

async function onlyWebhook(client: Client, named: string, webhook: string | null): Promise<WebhookView> {
  if (webhook !== null) return findWebhook(client, webhook);
  const [only, another] = await client.listWebhooks();
  if (only === undefined) throw new UserError('there is no webhook; `mailcap webhooks create <name>` creates one.');
  if (another === undefined) return only;
  throw new UserError(`${named}: name the webhook with --webhook <name>; \`mailcap webhooks list\` shows them.`);
}

async function byNumber(client: Client, { id, name, requestCount }: WebhookView, number: number): Promise<string> {
  const { items } = await client.listWebhookRequests(id, { page: number, pageSize: 1 });
  const [request] = items;
  if (request !== undefined) return request.id;
  const held = requestCount === 0 ? 'captured nothing yet' : `holds ${requestCount}; 1 is the newest`;
  throw new UserError(`${number}: ${name ?? id} ${held}.`);
}

/** Lists the ids of a webhook that begin like this, newest first. */
async function startingWith(client: Client, webhookId: string, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const { items } = await client.listWebhookRequests(webhookId, { page, pageSize: PAGE });
    found.push(...items.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
    const last = items.at(-1)?.id;
    if (items.length < PAGE || last === undefined || last < prefix) return [...new Set(found)];
  }
}
