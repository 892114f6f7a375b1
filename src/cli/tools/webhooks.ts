import type { Client, WebhookRequestSummary, WebhookView } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import type { Arguments } from '../arguments.ts';
import { connect } from '../connect.ts';
import { print, printJson, say } from '../output.ts';
import { printList, printTable } from '../table.ts';
import { writeMoment, writeSize } from '../write.ts';

const PAGE = 200;
const FORWARD = ['', 'pending', 'delivered', 'failed'] as const;

export async function listWebhooks(args: Arguments): Promise<number> {
  const client = await connect(args);
  const webhooks = await client.listWebhooks();
  if (args.isOn('json')) {
    printJson(webhooks);
    return 0;
  }
  const base = await baseUrlOf(client);
  printTable(webhooks, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name, flexible: true },
    { title: 'REQUESTS', of: ({ requestCount }) => requestCount, align: 'right' },
    { title: 'CAPTURE URL', of: ({ key }) => `${base}${key}`, flexible: true },
    { title: 'FORWARDS TO', of: ({ forwardUrl }) => forwardUrl, flexible: true },
  ]);
  return 0;
}

/** Prints the capture URL: it is what one needs. */
export async function createWebhook(args: Arguments): Promise<number> {
  const client = await connect(args);
  const forwardUrl = args.text('forward');
  const webhook = await client.createWebhook({
    name: args.operand(),
    responseStatus: args.count('status'),
    responseBody: args.text('body'),
    responseContentType: args.text('contentType'),
    ...(forwardUrl === null
      ? {}
      : { forwardUrl, forwardMode: args.oneOf<'async' | 'sync'>('mode', ['async', 'sync'], 'async') }),
  });
  if (args.isOn('json')) {
    printJson(webhook);
    return 0;
  }
  print(`${await baseUrlOf(client)}${webhook.key}`);
  say(`its id is ${webhook.id}.`);
  return 0;
}

export async function listRequests(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id } = await findWebhook(client, args.operand() ?? '');
  const wanted = args.count('limit') ?? 50;
  const requests: WebhookRequestSummary[] = [];
  const pageSize = Math.min(PAGE, wanted);
  for (let page = 1; requests.length < wanted; page++) {
    const { items } = await client.listWebhookRequests(id, { page, pageSize });
    requests.push(...items.slice(0, wanted - requests.length));
    if (items.length < pageSize) break;
  }
  return printList(args, requests, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'RECEIVED', of: ({ receivedAt }) => writeMoment(receivedAt).slice(5) },
    { title: 'METHOD', of: ({ method }) => method },
    { title: 'PATH', of: ({ path }) => path, flexible: true },
    { title: 'SIZE', of: ({ sizeBytes }) => writeSize(sizeBytes), align: 'right' },
    { title: 'ANSWER', of: ({ responseStatus }) => responseStatus, align: 'right' },
    { title: 'FORWARD', of: forwarded },
  ]);
}

export function forwarded({ forwardStatus, forwardHttpStatus }: WebhookRequestSummary): string {
  return [FORWARD[forwardStatus], forwardHttpStatus ?? ''].join(' ').trim();
}

export async function replayRequest(args: Arguments): Promise<number> {
  const client = await connect(args);
  const id = args.operand() ?? '';
  await client.replayWebhookRequest(id);
  const request = await client.getWebhookRequest(id);
  if (args.isOn('json')) printJson(request);
  else print(`${forwarded(request)}${request.forwardError === null ? '' : `: ${request.forwardError}`}`);
  return request.forwardStatus === 3 ? 1 : 0;
}

/** The interceptor of an id, a name or a capture key. */
export async function findWebhook(client: Client, named: string): Promise<WebhookView> {
  const all = await client.listWebhooks();
  const found = all.filter(
    ({ id, name, key }) => id.toLowerCase() === named.toLowerCase() || name === named || key === named,
  );
  const [webhook, another] = found;
  if (webhook === undefined)
    throw new UserError(`${named}: no such interceptor; \`mailcap webhooks list\` shows them.`);
  if (another !== undefined)
    throw new UserError(`${named}: there are several; \`mailcap webhooks list\` shows their ids.`);
  return webhook;
}

/** What stands before a capture key; nothing where the server does not tell. */
async function baseUrlOf(client: Client): Promise<string> {
  const known = (await client.server()).webhookBaseUrl;
  const base = known ?? ((await client.hasLocalApi()) ? (await client.local.info()).webhookBaseUrl : null);
  return base === null ? '' : `${base}/`;
}
