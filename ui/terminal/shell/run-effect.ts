import { now } from '../../../src/client/environment.ts';
import { MailcapError, NoServerError, RefusedError } from '../../../src/client/index.ts';
import { saidCopied } from '../../../src/clipboard.ts';
import { saidReplayed } from '../../../src/text/forwards.ts';
import { sentenceOfCode } from '../../../src/text/refusals.ts';
import { saidSize } from '../../../src/text/said.ts';
import { plainReason } from '../../../src/text/unreached.ts';
import { isUrl } from '../../../src/text/url.ts';
import { asSentence, SAID } from '../../../src/text/wording.ts';
import type { InboxNotice } from '../../model/status.ts';
import type { InboxEffect } from '../model/effects.ts';
import type { Input } from '../model/inputs.ts';
import type { RowDetails } from '../model/mail.ts';
import type { RequestDetail } from '../model/resources.ts';
import { REQUESTS_A_PAGE } from '../model/webhooks.ts';
import type { TerminalBackend, TerminalMachine } from './backend.ts';
import { loadMessages } from './load-messages.ts';
import { toAttachedMail, toMail, toMailboxItem, toRequestDetail, toRequestRow, toWebhookItem } from './resources.ts';

/** The delay before a failed request for a code is repeated. */
const RETRY_MS = 5_000;

/** The server, the reader's machine, and the data of the inbox that effects need. */
export interface EffectContext {
  readonly backend: TerminalBackend;
  readonly machine: TerminalMachine;
  readonly mailboxId: string | null;
  readonly openId: string | null;
  readonly webhookUrl: string;
  /** Milliseconds since 1970 by the server's clock. */
  readonly now: number;
  /** Turns an error into a sentence. */
  readonly explain: (error: unknown) => string;
}

type Of<Do extends InboxEffect['do']> = Extract<InboxEffect, { do: Do }>;

/** Performs an effect and returns the resulting inputs. Never rejects. */
export async function runInboxEffect(effect: InboxEffect, context: EffectContext): Promise<Input[]> {
  try {
    return await attempt(effect, context);
  } catch (error) {
    return [failureOf(effect, saidFailure(error, context), context)];
  }
}

async function attempt(effect: InboxEffect, context: EffectContext): Promise<Input[]> {
  const { backend, machine } = context;
  const { client, local, mailDomain, webhookBaseUrl } = backend;
  switch (effect.do) {
    case 'load-mailboxes': {
      const mailboxes = await client.listMailboxes();
      const items = mailboxes.map((mailbox) => toMailboxItem(mailbox, mailDomain));
      return [{ is: 'mailboxes', mailboxes: items, openId: context.openId ?? backend.mailboxId }];
    }
    case 'load-messages':
      return [await loadMessages(backend, effect)];
    case 'load-mail':
    case 'load-preview':
      return [await loadMail(context, effect.id)];
    case 'load-row-details':
      // Without a local API, codes are known only for messages that are opened.
      return [local ? await loadRowDetails(backend, effect.ids) : { is: 'row-details-failed' }];
    case 'load-attached': {
      const { messageId, attachment } = effect;
      const attached = await client.local.getAttachedMail(messageId, attachment.id);
      return [{ is: 'mail', mail: toAttachedMail(attached, attachment) }];
    }
    case 'load-source': {
      const { id, messageId } = effect;
      const { local: api } = client;
      const bytes = await (id === messageId ? api.getRawMessage(id) : api.getAttachment(messageId, id));
      return [{ is: 'source', id: effect.id, source: new TextDecoder().decode(bytes) }];
    }
    case 'delete-message':
      await client.local.deleteMessage(effect.id).catch(unlessGone);
      return [{ is: 'deletion-done', id: effect.id }];
    case 'save-attachment':
      return [await saveAttachment(context, effect)];
    case 'copy': {
      const copied = await machine.copy(effect.text);
      const text = saidCopied(copied, effect.what, effect.text);
      return [said(text, copied === 'copied' ? 'good' : copied === 'asked' ? 'plain' : 'bad')];
    }
    case 'browse':
      return [browse(context, effect)];
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
      const view = await client.getCapturedRequest(effect.id);
      const bodyUrl = local ? `${backend.server.url}/_mailcap/webhooks/requests/${view.id}/body` : null;
      return [{ is: 'request', request: toRequestDetail(view, context.webhookUrl, bodyUrl) }];
    }
    case 'replay': {
      await client.replayWebhookRequest(effect.id);
      const loaded = await attempt({ do: 'load-request', id: effect.id }, context);
      return [...loaded, ...loaded.flatMap((input) => (input.is === 'request' ? [saidForwarded(input.request)] : []))];
    }
    case 'load-authenticators':
      return [await loadAuthenticators(backend)];
    case 'load-code': {
      const { code, expiresAt } = await client.getTotpCode(effect.id);
      return [{ is: 'code', id: effect.id, code, expiresAt: Date.parse(expiresAt) }];
    }
    case 'mark-read':
      // The cloud API has no marks.
      if (local) await client.local.markMessage(effect.id, { read: true }).catch(unlessGone);
      return [];
    case 'mark':
      await client.local.markMessage(effect.id, effect.change).catch(unlessGone);
      return [];
    case 'await-undo':
    case 'quit':
      return [];
  }
}

async function loadMail({ backend, mailboxId }: EffectContext, id: string): Promise<Input> {
  const { client, local } = backend;
  const [detail, facts] = await Promise.all([
    local ? client.local.getMessageContent(id) : client.getMessage(mailboxId ?? '', id),
    local ? client.local.getMessageFacts(id) : null,
  ]);
  return { is: 'mail', mail: toMail(detail, facts) };
}

/** Loads what the rows of messages show besides their summaries. A deleted message has no codes. */
async function loadRowDetails({ client }: TerminalBackend, ids: readonly string[]): Promise<Input> {
  const previews = await client.local.getMessagePreviews({ ids });
  const found = new Map(previews.map(({ id, codes, snippet }) => [id, { codes, snippet }]));
  return { is: 'row-details', found: ids.map((id) => [id, found.get(id) ?? NOTHING]) };
}

const NOTHING: RowDetails = { codes: [], snippet: '' };

function saidForwarded({ forward, forwardHttpStatus, forwardError }: RequestDetail): Input {
  const text = saidReplayed(forward, forwardHttpStatus, forwardError && plainReason(forwardError));
  return said(text, forward === 'failed' ? 'bad' : 'good');
}

async function saveAttachment({ backend, machine }: EffectContext, effect: Of<'save-attachment'>): Promise<Input> {
  const { messageId, attachmentId, name } = effect;
  const bytes = await backend.client.local.getAttachment(messageId, attachmentId);
  const saved = await machine.save(name, bytes);
  return said(`Saved ${saved} (${saidSize(bytes.length)}) in ${machine.directory}`, 'good');
}

function browse({ backend, machine }: EffectContext, { url, messageId, attachedId }: Of<'browse'>): Input {
  const { local, server } = backend;
  if (url !== null) {
    // The link comes from an unknown sender, so only web pages may be opened.
    if (!isUrl(url) || !/^https?:$/.test(new URL(url).protocol))
      return said(`The inbox opens only http and https links. This one is ${url}`, 'bad');
    machine.browse(new URL(url).href);
    return said('Opening it in the browser.');
  }
  if (!local || messageId === null) return said('The cloud has no web page for a message.');
  machine.browse(`${server.url}/#/messages/${messageId}${attachedId === null ? '' : `?attached=${attachedId}`}`);
  return said('Opening it in the browser.');
}

async function loadAuthenticators({ client, local, workspaceId }: TerminalBackend): Promise<Input> {
  // The cloud API returns codes, but no list of authenticators.
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

/** Returns the milliseconds by which the server's clock is ahead of this machine's. */
export async function clockOffset({ client, local }: TerminalBackend): Promise<number> {
  if (!local) return 0;
  const { now: there } = await client.local.getClock();
  return Date.parse(there) - now();
}

function failureOf(effect: InboxEffect, reason: string, context: EffectContext): Input {
  switch (effect.do) {
    case 'load-messages':
      return { is: 'messages-failed', mailboxId: effect.mailboxId, query: effect.query, reason };
    case 'load-mail':
    case 'load-preview':
      return { is: 'mail-failed', id: effect.id, reason };
    case 'load-attached':
      return { is: 'mail-failed', id: effect.attachment.id, reason };
    case 'load-row-details':
      return { is: 'row-details-failed' };
    case 'load-requests':
      return { is: 'requests-failed', webhookId: effect.webhookId, reason };
    case 'load-request':
      return { is: 'request-failed', id: effect.id, reason };
    case 'delete-message':
      return { is: 'deletion-failed', id: effect.id, reason };
    case 'mark':
      return { is: 'marks-refused', id: effect.id, marks: effect.before, reason };
    case 'load-code':
      return { is: 'code', id: effect.id, code: null, expiresAt: context.now + RETRY_MS };
    default:
      return said(reason, 'bad');
  }
}

/** A message that is deleted already is what the reader wanted. */
function unlessGone(error: unknown): void {
  if (!(error instanceof MailcapError && error.code === 'not_found')) throw error;
}

/** Returns the sentence for a failure: the sentence of the inboxes, or else the one of the command line. */
function saidFailure(error: unknown, { explain }: EffectContext): string {
  if (error instanceof MailcapError && error.code === 'not_found') return SAID.gone;
  return asSentence(explain(error));
}

/** Returns the first line of an error message as a sentence. The client puts its hint on the next line. */
export function firstSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof MailcapError && error.code === 'not_found') return SAID.gone;
  if (error instanceof MailcapError && error.code === 'local_only') return SAID.cloudHasNoSuchThing;
  if (error instanceof NoServerError) return SAID.serverGone;
  if (error instanceof RefusedError) return sentenceOfCode(error.code, error.extra);
  return error.message.split('\n')[0] ?? error.message;
}

function said(text: string, tone: InboxNotice['tone'] = 'plain'): Input {
  return { is: 'notice', notice: { text, tone } };
}
