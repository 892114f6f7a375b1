import type { Client, UpsertWebhookDto, WebhookView } from '../../client/index.ts';
import { ConfigError } from '../../config/user-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidCount } from '../../text/said.ts';
import { shortUrl } from '../../text/width.ts';
import { CALLED, saidDeleted } from '../../text/wording.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { byIdOrName } from '../named.ts';
import { outputStyles, print, printedAsJson, printResult, say, sayShared } from '../output.ts';
import { idColumn, printFacts, printList } from '../table.ts';

const FORWARD_MODE = ['off', 'after the answer', 'before the answer'] as const;

export async function listWebhooks(args: Arguments): Promise<number> {
  const client = await connect(args);
  const webhooks = await client.listWebhooks();
  const base = await baseUrlOf(client);
  return printList(
    args,
    webhooks,
    [
      idColumn(webhooks),
      { title: 'NAME', of: ({ name }) => name, flexible: true },
      { title: 'REQUESTS', of: ({ requestCount }) => requestCount, align: 'right' },
      { title: 'URL', of: ({ key }) => `${base}${key}`, flexible: true, shorten: shortUrl, from: 60 },
      { title: 'FORWARDS TO', of: ({ forwardUrl }) => forwardUrl, flexible: true, shorten: shortUrl, from: 80 },
    ],
    'there is no webhook; `mailcap webhooks create <name>` creates one.',
  );
}

export async function createWebhook(args: Arguments): Promise<number> {
  const client = await connect(args);
  const forwardUrl = args.text('forward');
  if (forwardUrl === null && args.isGiven('mode')) throw new ConfigError('--mode needs --forward <url>.');
  const webhook = await client.createWebhook({
    name: args.operand(),
    ...answerOf(args),
    ...(forwardUrl === null ? {} : { forwardUrl, forwardMode: modeOf(args, 'async') }),
  });
  if (printedAsJson(args, webhook)) return 0;
  print(`${await baseUrlOf(client)}${webhook.key}`);
  say(`its id is ${webhook.id}.`);
  return 0;
}

/** Updates a webhook. Options that are not given stay as they are. */
export async function updateWebhook(args: Arguments): Promise<number> {
  const client = await connect(args);
  const name = args.text('name');
  const fields = { ...(name === null ? {} : { name }), ...answerOf(args) };
  if (Object.keys(fields).length === 0)
    throw new ConfigError('there is nothing to change: give --name, --status, --body or --content-type.');
  const { id } = await findWebhook(client, args.operand() ?? '');
  return showWebhook(client, args, await client.updateWebhook(id, fields));
}

/** Sets the forward URL of a webhook; `off` ends the forwarding. */
export async function forwardWebhook(args: Arguments): Promise<number> {
  const client = await connect(args);
  const webhook = await findWebhook(client, args.operand() ?? '');
  const to = args.operand(1) ?? '';
  const isOff = /^off$/i.test(to);
  if (isOff && args.isGiven('mode')) throw new ConfigError('--mode needs a URL to forward to.');
  const known = webhook.forwardMode === 2 ? 'sync' : 'async';
  const fields: UpsertWebhookDto = isOff
    ? { forwardMode: 'off' }
    : { forwardUrl: to, forwardMode: modeOf(args, known) };
  return showWebhook(client, args, await client.updateWebhook(webhook.id, fields));
}

export async function deleteWebhook(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id, name, requestCount } = await findWebhook(client, args.operand() ?? '');
  const what = CALLED.webhook(name ?? id, requestCount);
  const follows = 'Its URL answers 404 from then on.';
  if (!(await isAgreed(args, `delete ${what}`, follows))) return EXIT.failed;
  await client.deleteWebhook(id);
  return printResult(args, { id }, () => sayShared(saidDeleted(what)));
}

/** Prints a webhook, and returns the exit code. A person sees its URL, its answer and its forward URL. */
export async function showWebhook(client: Client, args: Arguments, webhook: WebhookView): Promise<number> {
  if (printedAsJson(args, webhook)) return EXIT.done;
  const { id, name, key, responseStatus, responseContentType, responseBody, forwardMode, forwardUrl } = webhook;
  const type = responseContentType === null ? '' : `, ${responseContentType}`;
  const forwards = forwardMode === 0 || forwardUrl === null ? 'nowhere' : `${forwardUrl}, ${FORWARD_MODE[forwardMode]}`;
  const rows = [
    ['Id', id],
    ['Captures', `${await baseUrlOf(client)}${key}`],
    ['Answers', `${responseStatus}${type}${responseBody ? `: ${responseBody}` : ''}`],
    ['Forwards to', forwards],
    ['Holds', `${saidCount(webhook.requestCount, 'request')}, for ${saidCount(webhook.retentionDays, 'day')}`],
  ] as const;
  print(outputStyles().bold(harmlessLine(name ?? '(no name)', 100)));
  printFacts(rows.map(([title, value]) => [title, harmlessLine(value, 500)]));
  return EXIT.done;
}

/** Returns the fields of the answer that are given. */
function answerOf(args: Arguments): UpsertWebhookDto {
  const [status, body, type] = [args.count('status'), args.value('body'), args.text('contentType')];
  return {
    ...(status === null ? {} : { responseStatus: status }),
    ...(body === null ? {} : { responseBody: body }),
    ...(type === null ? {} : { responseContentType: type }),
  };
}

function modeOf(args: Arguments, otherwise: 'async' | 'sync'): 'async' | 'sync' {
  return args.oneOf<'async' | 'sync'>('mode', ['async', 'sync'], otherwise);
}

/** Finds a webhook by its id, the beginning of its id, its name, its key or its URL. */
export async function findWebhook(client: Client, named: string): Promise<WebhookView> {
  const all = await client.listWebhooks();
  const key = /\/hooks\/([^/?#]+)/.exec(named)?.[1] ?? named;
  return (
    all.find((webhook) => webhook.key === key) ?? byIdOrName(all, named, ({ name }) => name, 'webhook', 'webhooks')
  );
}

/** Returns the URL that stands before a webhook's key; empty if the server does not tell it. */
export async function baseUrlOf(client: Client): Promise<string> {
  const known = (await client.server()).webhookBaseUrl;
  const base = known ?? ((await client.hasLocalApi()) ? (await client.local.getInfo()).webhookBaseUrl : null);
  return base === null ? '' : `${base}/`;
}
