import { MailcapError } from '../../../src/client/index.ts';
import type { Effect } from '../../model/effects.ts';
import { REQUESTS_A_PAGE } from '../../model/hooks.ts';
import type { Input } from '../../model/inputs.ts';
import { now } from '../environment.ts';
import { saidSize } from '../text/said.ts';
import type { Backend } from './backend.ts';
import { loadMessages } from './load-messages.ts';
import type { Machine } from './machine.ts';
import { toMail, toMailboxItem, toRequestDetail, toRequestRow, toWebhookItem } from './resources.ts';

/** A code that could not be had is asked for again after this long. */
const RETRY_MS = 5_000;

/** What performing an effect needs to know of the inbox. */
export interface Desk {
  readonly mailboxId: string | null;
  readonly openId: string | null;
  readonly captureUrl: string;
  /** Milliseconds since 1970 by the server's clock. */
  readonly now: number;
}

type Of<Do extends Effect['do']> = Extract<Effect, { do: Do }>;

/** Does what the model asks for; what came of it is told as inputs. Never rejects. */
export async function perform(effect: Effect, backend: Backend, machine: Machine, desk: Desk): Promise<Input[]> {
  try {
    return await attempt(effect, backend, machine, desk);
  } catch (error) {
    return [failureOf(effect, reasonOf(error), desk)];
  }
}

async function attempt(effect: Effect, backend: Backend, machine: Machine, desk: Desk): Promise<Input[]> {
  const { client, local, mailDomain, webhookBaseUrl } = backend;
  switch (effect.do) {
    case 'load-mailboxes': {
      const mailboxes = await client.listMailboxes();
      const items = mailboxes.map((mailbox) => toMailboxItem(mailbox, mailDomain));
      return [{ is: 'mailboxes', mailboxes: items, openId: desk.openId ?? backend.mailboxId }];
    }
    case 'load-messages':
      return [await loadMessages(backend, effect)];
    case 'load-mail':
      return [await loadMail(backend, desk, effect.id)];
    case 'load-source': {
      const bytes = await client.local.getRawMessage(effect.id);
      return [{ is: 'source', id: effect.id, source: new TextDecoder().decode(bytes) }];
    }
    case 'delete-message':
      await client.local.deleteMessage(effect.id);
      return [{ is: 'messages-gone', mailboxId: desk.mailboxId ?? '', ids: [effect.id], upTo: null }, good('deleted')];
    case 'save-attachment':
      return [await saveAttachment(backend, machine, effect)];
    case 'copy':
      await machine.copy(effect.text);
      return [good(`copied ${effect.what}${effect.text.length <= 40 ? `: ${effect.text}` : ''}`)];
    case 'browse':
      return [browse(effect, backend, machine)];
    case 'load-webhooks': {
      const webhooks = await client.listWebhooks();
      return [{ is: 'webhooks', webhooks: webhooks.map((webhook) => toWebhookItem(webhook, webhookBaseUrl)) }];
    }
    case 'load-requests': {
      const { webhookId, page } = effect;
      const { items } = await client.listWebhookRequests(webhookId, { page, pageSize: REQUESTS_A_PAGE });
      const rows = (items ?? []).map((item) => toRequestRow(item));
      return [{ is: 'requests', webhookId, rows, complete: rows.length < REQUESTS_A_PAGE }];
    }
    case 'load-request': {
      const view = await client.getWebhookRequest(effect.id);
      const bodyUrl = local ? `${backend.server.url}/_mailcap/webhooks/requests/${view.id}/body` : null;
      return [{ is: 'request', request: toRequestDetail(view, desk.captureUrl, bodyUrl) }];
    }
    case 'replay':
      await client.replayWebhookRequest(effect.id);
      return [
        good('forwarded again'),
        ...(await attempt({ do: 'load-request', id: effect.id }, backend, machine, desk)),
      ];
    case 'load-authenticators':
      return [await loadAuthenticators(backend)];
    case 'load-code': {
      const { code, expiresAt } = await client.getTotpCode(effect.id);
      return [{ is: 'code', id: effect.id, code, expiresAt: Date.parse(expiresAt) }];
    }
    case 'quit':
      return [];
  }
}

async function loadMail({ client, local }: Backend, { mailboxId }: Desk, id: string): Promise<Input> {
  const [detail, facts] = await Promise.all([
    client.getMessage(mailboxId ?? '', id),
    local ? client.local.getMessage(id) : null,
  ]);
  return { is: 'mail', mail: toMail(detail, facts) };
}

async function saveAttachment(backend: Backend, machine: Machine, effect: Of<'save-attachment'>): Promise<Input> {
  const { messageId, attachmentId, name } = effect;
  const bytes = await backend.client.local.getAttachment(messageId, attachmentId);
  const saved = await machine.save(name, bytes);
  return good(`saved ${saved} (${saidSize(bytes.length)})`);
}

function browse({ url, messageId }: Of<'browse'>, { local, server }: Backend, machine: Machine): Input {
  if (url !== null) {
    // A stranger wrote it: nothing but a page is opened.
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      return bad('only http and https links are opened');
    machine.browse(new URL(url).href);
    return good('opened in the browser');
  }
  if (!local || messageId === null) return plain('the cloud API has no page of a message');
  machine.browse(`${server.url}/#/messages/${messageId}`);
  return good('opened in the browser');
}

async function loadAuthenticators({ client, local, workspaceId }: Backend): Promise<Input> {
  // The cloud API tells codes, and no list.
  if (!local || workspaceId === null) return { is: 'authenticators', authenticators: [] };
  const stored = await client.local.listAuthenticators(workspaceId);
  const authenticators = await Promise.all(
    stored.map(async ({ id, name, period }) => {
      const { code, expiresAt } = await client.getTotpCode(id);
      return { id, name, code, expiresAt: Date.parse(expiresAt), periodSeconds: period };
    }),
  );
  return { is: 'authenticators', authenticators };
}

/** How far the server's clock is ahead of this machine's, milliseconds. */
export async function clockOffset({ client, local }: Backend): Promise<number> {
  if (!local) return 0;
  const { now: there } = await client.local.getClock();
  return Date.parse(there) - now();
}

function failureOf(effect: Effect, reason: string, desk: Desk): Input {
  switch (effect.do) {
    case 'load-messages':
      return { is: 'messages-failed', mailboxId: effect.mailboxId, reason };
    case 'load-mail':
      return { is: 'mail-failed', id: effect.id, reason };
    case 'load-requests':
      return { is: 'requests-failed', webhookId: effect.webhookId, reason };
    case 'load-request':
      return { is: 'request-failed', id: effect.id, reason };
    case 'load-code':
      return { is: 'code', id: effect.id, code: null, expiresAt: desk.now + RETRY_MS };
    default:
      return bad(reason);
  }
}

/** A sentence for one line: the client's hint stands on a line of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof MailcapError && error.code === 'not_found') return 'it is gone';
  if (error instanceof MailcapError && error.code === 'local_only') return 'the cloud API has no such thing';
  return error.message.split('\n')[0] ?? error.message;
}

function good(text: string): Input {
  return { is: 'notice', notice: { text, tone: 'good' } };
}

function plain(text: string): Input {
  return { is: 'notice', notice: { text, tone: 'plain' } };
}

function bad(text: string): Input {
  return { is: 'notice', notice: { text, tone: 'bad' } };
}
