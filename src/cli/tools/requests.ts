import { RefusedError } from '../../client/errors.ts';
import type { Client, WebhookRequestSummary } from '../../client/index.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { isUrl } from '../../text/is-url.ts';
import { shorten } from '../../text/shorten.ts';
import { cutMiddle } from '../../text/width.ts';
import type { Arguments } from '../arguments.ts';
import { EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { isId, listNumber, prefixOf } from '../named.ts';
import { print, printJson, say } from '../output.ts';
import { shortIds } from '../short-ids.ts';
import { printTable } from '../table.ts';
import { plainReason } from '../unreachable.ts';
import { writeMoment, writeSize } from '../write.ts';
import { bodyText, forwarded, printRequest } from './print-request.ts';
import { readRequest } from './read-request.ts';
import { noSuchRequest, requestNamed } from './request-named.ts';
import { sendAgain } from './send-again.ts';
import { findWebhook, showWebhook } from './webhooks.ts';

const PAGE = 200;
const DEFAULT_LIMIT = 50;
/** The most characters of an answer that are shown. */
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
  const isTerminal = process.stdout.isTTY;
  const shownIds = shortIds(requests.map(({ id: whole }) => whole));
  if (args.isOn('json')) printJson(requests);
  else if (requests.length > 0)
    printTable(
      requests.map((request, at) => ({ ...request, number: at + 1 })),
      [
        ...(isTerminal
          ? [{ title: '#', of: ({ number }: { number: number }) => number, align: 'right' as const }]
          : []),
        { title: 'ID', of: ({ id: whole }) => (isTerminal ? (shownIds.get(whole) ?? whole) : whole) },
        { title: 'RECEIVED', of: ({ receivedAt }) => writeMoment(receivedAt).slice(5), from: 60 },
        { title: 'METHOD', of: ({ method }) => method },
        { title: 'PATH', of: ({ path }) => path, flexible: true, shorten: cutMiddle },
        { title: 'SIZE', of: ({ sizeBytes }) => writeSize(sizeBytes), align: 'right', from: 60 },
        { title: 'ANSWER', of: ({ responseStatus }) => responseStatus, align: 'right' },
        { title: 'FORWARD', of: forwarded, from: 70 },
      ],
    );
  if (requests.length === 0) say(`${name ?? id} captured nothing yet.`);
  else if (requestCount > requests.length)
    say(
      `${requests.length.toLocaleString('en-US')} of ${requestCount.toLocaleString('en-US')} requests; --limit <number> shows more.`,
    );
  return 0;
}

/** Shows an interceptor by its name, or a captured request with its headers and body. */
export async function show(args: Arguments): Promise<number> {
  const client = await connect(args);
  const named = args.operand() ?? '';
  const isOfRequest = args.text('webhook') !== null || listNumber(named) !== null;
  const webhook = isOfRequest ? null : await webhookOrNull(client, named);
  if (webhook !== null) {
    await showWebhook(client, args, webhook);
    return 0;
  }
  const id = await requestNamed(client, named, args.text('webhook'));
  const request = await client.getWebhookRequest(id).catch(notThere(named));
  if (args.isOn('json')) printJson(request);
  else printRequest(await readRequest(client, request));
  return 0;
}

/** Finds an interceptor; null if the name may name a request. Throws if it can name neither. */
async function webhookOrNull(client: Client, named: string) {
  try {
    return await findWebhook(client, named);
  } catch (error) {
    if (error instanceof UserError && (isId(named) || prefixOf(named) !== null)) return null;
    throw error;
  }
}

/** Replays a request: by the server to the forward URL of its interceptor, or from here to the URL of --to. */
export async function replayRequest(args: Arguments): Promise<number> {
  const client = await connect(args);
  const to = args.text('to');
  if (to !== null && !(/^https?:\/\//i.test(to) && isUrl(to)))
    throw new ConfigError(`--to: expected a URL, as in http://127.0.0.1:3000/hook, got ${JSON.stringify(to)}.`);
  const named = args.operand() ?? '';
  const id = await requestNamed(client, named, args.text('webhook'));
  if (to !== null) return replayTo(client, args, id, to, named);
  await client.replayWebhookRequest(id).catch(notThere(named));
  const request = await client.getWebhookRequest(id);
  if (args.isOn('json')) printJson(request);
  else print(`${forwarded(request)}${request.forwardError === null ? '' : `: ${plainReason(request.forwardError)}`}`);
  return request.forwardStatus === 3 ? EXIT.failed : EXIT.done;
}

async function replayTo(client: Client, args: Arguments, id: string, to: string, named: string): Promise<number> {
  const request = await client.getWebhookRequest(id).catch(notThere(named));
  const answer = await sendAgain(await readRequest(client, request), to);
  if (args.isOn('json')) printJson({ id, ...answer, body: bodyText(answer.body) });
  else {
    print(`${answer.status} from ${answer.url}`);
    const body = bodyText(answer.body).trimEnd();
    if (body !== '') print(shorten(body, SHOWN_OF_ANSWER));
  }
  return answer.status >= 400 ? EXIT.failed : EXIT.done;
}

function notThere(named: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof RefusedError && error.code === 'not_found' ? noSuchRequest(named) : error;
  };
}
