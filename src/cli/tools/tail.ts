import { onRefusal, RefusedError } from '../../client/errors.ts';
import type { Client, WebhookRequestSummary, WebhookRequestView } from '../../client/index.ts';
import { LONGEST_AWAIT_SECONDS } from '../../client/transport/transport.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { shorten } from '../../text/shorten.ts';
import { sleep } from '../clock.ts';
import type { Arguments } from '../command.ts';
import { connect } from '../connect.ts';
import { outputStyles, print, printJson, say, writeSize, writeTimeOfDay } from '../output.ts';
import { findWebhook } from './webhooks.ts';
import { forwarded, readRequest, shownBody } from './whole-request.ts';

/**
 * The pause between two reads of the list, in milliseconds. The API allows 100 calls a minute for each key, and other
 * programs may use it too.
 */
const PAUSE_MS = 2_000;
const PAGE = 200;
const SHOWN_LINES = 20;
const SHOWN_COLUMNS = 500;

/**
 * Runs `mailcap webhooks tail`: prints each new request with its body until it is interrupted. A local server pushes
 * requests; the cloud's list is polled.
 */
export async function tailWebhook(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id, name } = await findWebhook(client, args.operand() ?? '');
  const json = args.isOn('json');
  let last = (await client.listWebhookRequests(id, { pageSize: 1 })).items[0]?.id ?? '';
  if (process.stderr.isTTY) say(`requests of ${name ?? id} from now on; Ctrl-C ends it.`);
  for (let isTold = await client.hasLocalApi(); ; ) {
    if (isTold) isTold = await untilNext(client, id, last);
    for (const request of await requestsAfter(client, id, last)) {
      last = request.id;
      // The list leaves fields out, and has all that is left of a request that was deleted.
      if (json) printJson((await viewOf(client, request)) ?? request);
      else await printWithBody(client, request);
    }
    await sleep(PAUSE_MS);
  }
}

/**
 * Resolves with true when there is a request after the last one. Resolves with false if this caller may not wait,
 * because it lacks the admin token.
 */
async function untilNext(client: Client, webhookId: string, last: string): Promise<boolean> {
  const query = { ...(last === '' ? {} : { after: last }), timeout: LONGEST_AWAIT_SECONDS };
  try {
    while ((await client.local.awaitRequest(webhookId, query)) === null);
    return true;
  } catch (error) {
    if (error instanceof RefusedError && (error.status === 401 || error.status === 403)) return false;
    throw error;
  }
}

/** Returns the requests after the last one, oldest first. */
async function requestsAfter(client: Client, webhookId: string, last: string): Promise<WebhookRequestSummary[]> {
  const fresh = new Map<string, WebhookRequestSummary>();
  for (let page = 1; ; page++) {
    const { items } = await client.listWebhookRequests(webhookId, { page, pageSize: PAGE });
    // Ids are in the order of arrival. A request that comes during the reading moves others to the next page, so they
    // are seen twice.
    for (const request of items) if (request.id > last) fresh.set(request.id, request);
    if (items.length < PAGE || items.some(({ id }) => id <= last)) break;
  }
  return [...fresh.values()].reverse();
}

async function printWithBody(client: Client, request: WebhookRequestSummary): Promise<void> {
  const view = await viewOf(client, request);
  const body = view === null ? '' : shownBody(await readRequest(client, view));
  print(lineOf(view ?? request));
  const lines = body === '' ? [] : body.split('\n');
  for (const line of lines.slice(0, SHOWN_LINES)) print(`  ${shorten(line, SHOWN_COLUMNS)}`);
  const isCut = lines.length > SHOWN_LINES || lines.some((line) => line.length > SHOWN_COLUMNS);
  if (isCut) print(`  … \`mailcap webhooks show ${request.id}\` shows all of it.`);
}

/** Fetches a request; null if it was deleted. */
function viewOf(client: Client, { id }: WebhookRequestSummary): Promise<WebhookRequestView | null> {
  return client.getCapturedRequest(id).catch(onRefusal('not_found', null));
}

function lineOf(request: WebhookRequestSummary): string {
  const { bold, dim } = outputStyles();
  const { receivedAt, method, path, contentType, sizeBytes, responseStatus } = request;
  const what = `${bold(harmlessLine(method ?? '', 20))} ${harmlessLine(path ?? '', 200)}`;
  const rest = [
    harmlessLine(contentType ?? '', 60),
    writeSize(sizeBytes),
    `answered ${responseStatus}`,
    forwarded(request),
  ];
  return `${dim(writeTimeOfDay(receivedAt))} ${what} ${dim(rest.filter((text) => text !== '').join(', '))}`;
}
