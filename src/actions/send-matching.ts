import type { Context } from '../context.ts';
import { domainIn } from '../domain/address.ts';
import { parseAddress } from '../domain/address-list.ts';
import { refuse } from '../domain/errors.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { UNMARKED } from '../domain/marks.ts';
import type { BlobRef, Message, RefusedBy } from '../domain/message.ts';
import type { MailFile } from '../domain/provider.ts';
import type { Term } from '../domain/search/query.ts';
import type { LinkKind } from '../extract/link-kinds.ts';
import { composeMessage } from '../mail/compose.ts';
import { scanMail } from '../mail/scan.ts';
import { realTime } from '../ports/system.ts';
import { type WholeFilter, wholeMatcher } from './match-message.ts';
import { bringMessage } from './receive-message.ts';
import { timeIn } from './time.ts';

/** The client that asks for the mail. */
interface Asker {
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
}

/**
 * Sends a mail to a mailbox that meets the conditions of a wait (docs/troubleshooting.md#why-no-mail-came). It is stored
 * as if SMTP had brought it, so it wakes the wait. Throws `no_matching_mail`, and stores nothing, if the composed mail
 * does not meet a condition: one on the past, on marks or on what it must not have.
 */
export async function sendMatching(
  ctx: Context,
  mailbox: Mailbox,
  filter: WholeFilter,
  asker: Asker,
): Promise<Message> {
  const recipient = `anyone@${mailbox.subdomain}.${ctx.config.mailDomain}`;
  const now = await timeIn(ctx, ctx.store.read, mailbox.workspaceId);
  const draft = draftOf(filter);
  const [from, to] = [addressOf(draft.from, SENDER), addressOf(draft.to, recipient)];
  const html = draft.isHtml ? `<p>${escaped(draft.body.join('\n'))}</p>` : null;
  const raw = await composeMessage(
    {
      ...{ from, to: [to], cc: draft.cc.map((text) => addressOf([text], COPIED)) },
      replyTo: draft.replyTo.map((text) => addressOf([text], SENDER)),
      subject: draft.subject.join(' ') || 'A mail that matches',
      ...{ text: draft.body.join('\n'), html, headers: draft.headers, attachments: draft.files.map(toFile) },
    },
    { messageId: `<${ctx.ids.next(realTime(ctx.clock))}@${ctx.config.mailDomain}>`, date: now },
  );
  if (raw.length > ctx.config.smtpSize) throw refuse('payload_too_large');
  const envelope = { mailFrom: from.address, rcptTo: [to.address] };
  const [refused] = await refusedBy(ctx, filter, { raw, envelope, mailbox, now });
  if (refused !== undefined) throw refuse('no_matching_mail', { condition: `${refused.filter} ${refused.wanted}` });
  const [message] = await bringMessage(ctx, { ...envelope, raw, user: null, ...asker, into: mailbox.id });
  if (message === undefined) throw refuse('not_found');
  return message;
}

const SENDER = 'sender@app.example';
const COPIED = 'copied@app.example';

/** The texts that a mail must contain, as far as somebody can write them. */
interface Draft {
  readonly subject: string[];
  readonly from: string[];
  readonly to: string[];
  readonly cc: string[];
  readonly replyTo: string[];
  readonly body: string[];
  readonly headers: [name: string, value: string][];
  readonly files: string[];
  isHtml: boolean;
}

/** Collects what the conditions ask for. What nobody can write stays out, and the check of the composed mail tells it. */
function draftOf({ summary, body, code, header, link, query }: WholeFilter): Draft {
  const draft: Draft = {
    ...{ subject: [], from: [], to: [], cc: [], replyTo: [], body: [], headers: [], files: [], isHtml: false },
  };
  const { subject, from, to } = summary;
  if (subject !== '') draft.subject.push(subject);
  if (from !== '') draft.from.push(from);
  if (to !== '') draft.to.push(to);
  if (body.trim() !== '') draft.body.push(body);
  if (header !== null) addHeader(draft, header.name, header.part);
  if (code) draft.body.push(CODE);
  if (link !== null) draft.body.push(LINKS[link]);
  for (const term of query) if (!term.not) addTerm(draft, term);
  if (draft.body.length === 0)
    draft.body.push('mailcap sent this mail, because somebody asked for one that matches a wait.');
  return draft;
}

const CODE = 'Your code is 481920.';
const LINKS: Readonly<Record<LinkKind | 'any', string>> = {
  verify: 'Verify your email address: https://app.example/verify-email?token=1f9d3c7a',
  magic: 'Sign in: https://app.example/magic-link?token=1f9d3c7a',
  reset: 'Reset your password: https://app.example/reset-password?token=1f9d3c7a',
  invite: 'Accept the invitation: https://app.example/invite?token=1f9d3c7a',
  unsubscribe: 'Unsubscribe: https://app.example/unsubscribe?token=1f9d3c7a',
  other: 'Read more: https://app.example/articles/42',
  any: 'Read more: https://app.example/articles/42',
};

/** The most bytes that a mail is made larger by. */
const MOST_PADDING = 1024 * 1024;
const LINE = `${'.'.repeat(70)}\n`;

function addTerm(draft: Draft, term: Term): void {
  switch (term.kind) {
    case 'text':
      addText(draft, term.field, term.text);
      break;
    case 'header':
      addHeader(draft, term.name, term.text);
      break;
    case 'html':
      draft.isHtml = true;
      break;
    case 'has':
      if (term.what === 'code') draft.body.push(CODE);
      if (term.what === 'link') draft.body.push(LINKS.any);
      if (term.what === 'attachment') draft.files.push('attached.txt');
      break;
    case 'larger':
      if (term.bytes <= MOST_PADDING) draft.body.push(LINE.repeat(Math.ceil(term.bytes / LINE.length) + 1));
      break;
    default:
      break;
  }
}

function addText(draft: Draft, field: Extract<Term, { kind: 'text' }>['field'], text: string): void {
  switch (field) {
    case null:
    case 'body':
      draft.body.push(text);
      break;
    case 'subject':
    case 'from':
    case 'to':
    case 'cc':
      draft[field].push(text);
      break;
    case 'addressed':
    case 'recipient':
      draft.to.push(text);
      break;
    case 'reply-to':
      draft.replyTo.push(text);
      break;
    case 'filename':
      draft.files.push(text);
      break;
    default:
      break;
  }
}

/** The fields that the mail has anyway, by the part of the draft that writes them. */
const WRITTEN: Readonly<Record<string, 'subject' | 'from' | 'to' | 'cc' | 'replyTo'>> = {
  ...{ subject: 'subject', from: 'from', to: 'to', cc: 'cc', 'reply-to': 'replyTo' },
};
/** A second field of these names would make the mail a wrong one. */
const OWN = /^(?:bcc|date|message-id|mime-version|content-.*)$/;

function addHeader(draft: Draft, name: string, value: string): void {
  const written = WRITTEN[name];
  if (written !== undefined) {
    if (value !== '') draft[written].push(value);
  } else if (!OWN.test(name)) draft.headers.push([name, value || 'yes']);
}

/** Returns an address with the texts in it: the first that is an address itself, and the others as its name. */
function addressOf(texts: readonly string[], otherwise: string) {
  const whole = texts.map((text) => parseAddress(text)).find((one) => one !== null) ?? null;
  const isWhole = (text: string) => whole !== null && parseAddress(text)?.address === whole.address;
  const name = texts.filter((text) => !isWhole(text)).join(' ');
  const address = whole?.address ?? otherwise;
  return { name: name || (whole?.name ?? null), address, domain: domainIn(address) };
}

function toFile(filename: string): MailFile {
  return { filename, contentType: 'text/plain', content: Buffer.from('An attached file.\n'), contentId: null };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>\n');
}

/** A mail as it would arrive. */
interface Arriving {
  readonly raw: Buffer;
  readonly envelope: { readonly mailFrom: string; readonly rcptTo: readonly string[] };
  readonly mailbox: Mailbox;
  readonly now: number;
}

/** Tells which conditions a mail would not meet if it arrived now. Nothing of it is stored. */
async function refusedBy(
  ctx: Context,
  filter: WholeFilter,
  { raw, envelope, mailbox, now }: Arriving,
): Promise<readonly RefusedBy[]> {
  const { mail } = await ctx.parser.attached(raw);
  const { sizeBytes, attachmentCount, from, to, cc, subject } = scanMail(raw);
  const arrival: Message = {
    ...{ id: ctx.ids.next<MessageId>(realTime(ctx.clock)), workspaceId: mailbox.workspaceId, mailboxId: mailbox.id },
    ...{ receivedAt: now, sizeBytes, attachmentCount, from, to, cc, subject, ...envelope },
    // No store has its bytes, and the matcher reads the parsed mail.
    ...{ raw: '' as BlobRef, facts: '' as BlobRef, ...UNMARKED },
  };
  return (await wholeMatcher(ctx, filter, async () => mail).whyNot(arrival)) ?? [];
}
