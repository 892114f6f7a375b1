import { awaitInTurns } from '../../client/connection/caller.ts';
import type { Client, WebhookRequestView } from '../../client/index.ts';
import { fold } from '../../text/fold.ts';
import { now, sleep, steady } from '../clock.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { printJson, say } from '../output.ts';
import { findWebhook } from './webhooks.ts';
import { printRequest, readRequest } from './whole-request.ts';

const DEFAULT_SECONDS = 30;
/** The seconds that a wait looks back, as `messages wait` does. */
const LOOK_BACK_SECONDS = 5;
/** The newest requests among which a wait looks. */
const PAGE = 200;
/** The pause between two reads of a list that can't be waited for. */
const PAUSE_MS = 1_000;

/**
 * Runs `mailcap webhooks wait`: prints the newest captured request that matches, and waits for one if there is none. The
 * exit code is 3 if none came in time.
 */
export async function waitForRequest(args: Arguments): Promise<number> {
  const seconds = args.seconds('timeout') ?? DEFAULT_SECONDS;
  const back = args.seconds('since') ?? LOOK_BACK_SECONDS;
  const client = await connect(args);
  const { id, name } = await findWebhook(client, args.operand() ?? '');
  const isLocal = await client.hasLocalApi();
  const at = isLocal ? Date.parse((await client.local.getClock()).now) : now();
  const since = at - back * 1_000;
  const end = steady() + seconds * 1_000;
  const refused = new Set<string>();
  for (;;) {
    const { items } = await client.listWebhookRequests(id, { pageSize: PAGE });
    for (const { id: requestId, receivedAt } of items) {
      if (Date.parse(receivedAt) < since || refused.has(requestId)) continue;
      const view = await client.getCapturedRequest(requestId);
      if (matches(view, args)) {
        if (args.isOn('json')) printJson(view);
        else printRequest(await readRequest(client, view));
        return EXIT.done;
      }
      refused.add(requestId);
    }
    const leftMs = end - steady();
    if (leftMs <= 0 || !(await isNext(client, id, items[0]?.id, leftMs, isLocal))) {
      const came = refused.size === 0 ? '' : ` ${refused.size} came and did not match.`;
      say(`no request that matches came to ${name ?? id} within ${seconds} s.${came}`);
      return EXIT.timedOut;
    }
  }
}

/** Waits for a request after the last one. False if none came in time. */
async function isNext(
  client: Client,
  id: string,
  after: string | undefined,
  leftMs: number,
  isLocal: boolean,
): Promise<boolean> {
  if (!isLocal) {
    await sleep(Math.min(PAUSE_MS, leftMs));
    return true;
  }
  const next = await awaitInTurns(leftMs, (timeout) =>
    client.local.awaitRequest(id, { ...(after === undefined ? {} : { after }), timeout }),
  );
  return next !== null;
}

function matches({ method, path, query, bodyText }: WebhookRequestView, args: Arguments): boolean {
  const has = (wanted: string | null, text: string | null) =>
    wanted === null || fold(text ?? '').includes(fold(wanted));
  const isMethod = args.text('method') === null || args.text('method')?.toUpperCase() === method?.toUpperCase();
  return (
    isMethod &&
    has(args.text('path'), `${path}${query === null ? '' : `?${query}`}`) &&
    has(args.text('text'), bodyText)
  );
}
