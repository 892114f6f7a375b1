import type { Context } from '../context.ts';
import { parseEnvelopeAddress } from '../domain/address.ts';
import { refuse } from '../domain/errors.ts';
import { type MailboxId, type MessageId, nextUid } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { UNMARKED } from '../domain/marks.ts';
import type { BlobRef, Message, MessageKind, ReceiptMetadata } from '../domain/message.ts';
import { subdomainOf } from '../domain/routing.ts';
import type { MAIL_REFUSALS } from '../domain/smtp.ts';
import { type Moment, timeOf } from '../domain/time.ts';
import { createMailScanner, type Scan, scanMail } from '../mail/scan.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import { getOrCreate } from '../text/maps.ts';
import { passOn } from './pass-on.ts';

/** Refuses a mail. SMTP answers it with a reply code, the local API with an HTTP status. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  readonly reason: keyof typeof MAIL_REFUSALS;
  /** The fields that tell the limit in an answer of the local API. */
  readonly extra: Readonly<Record<string, number>>;

  constructor(reason: MailRefused['reason'], extra: MailRefused['extra'] = {}) {
    super(reason);
    this.reason = reason;
    this.extra = extra;
  }
}

interface IncomingMail {
  /** Left out for an email. */
  readonly kind?: Message['kind'] | undefined;
  readonly facts: ReceiptMetadata;
  readonly scanned: ScannedMail;
  readonly raw: BlobRef;
  /**
   * The mailbox the client signed in to. It gets all mail of the connection, regardless of the recipients. Null means
   * that recipients decide.
   */
  readonly into: MailboxId | null;
  /** Checks in the storing transaction that the sender is still authorized. It rejects if not. */
  readonly admit?: (reader: Reader) => Promise<void>;
}

/**
 * Finds the mailbox for a recipient's mail: the one that claims the address, then the one with its subdomain, then the
 * inbox (docs/claimed-addresses.md). Returns null if no mailbox takes it.
 */
export async function takerOf(ctx: Context, reader: Reader, recipient: string): Promise<Mailbox | null> {
  const claimant = await reader.mailboxes.byAddress(recipient);
  if (claimant !== null) return claimant;
  const address = parseEnvelopeAddress(recipient);
  const subdomain = address === null ? null : subdomainOf(address, ctx.config.mailDomain);
  const mailbox = subdomain === null ? null : await reader.mailboxes.bySubdomain(subdomain);
  return mailbox ?? (ctx.config.catchAll === 'on' ? await reader.mailboxes.inbox() : null);
}

/** Finds the mailbox for a recipient's mail. Throws {@link MailRefused} `no_such_mailbox`. */
export async function routeRecipient(ctx: Context, reader: Reader, recipient: string): Promise<Mailbox> {
  const taker = await takerOf(ctx, reader, recipient);
  if (taker === null) throw new MailRefused('no_such_mailbox');
  return taker;
}

/**
 * Throws {@link MailRefused} if a mail of `sizeBytes` exceeds the mailbox's daily limit or the workspace's storage
 * limit.
 */
export async function checkRoom(
  ctx: Context,
  reader: Reader,
  mailbox: Mailbox,
  sizeBytes: number,
  now: Moment,
  kind: MessageKind = 'email',
): Promise<void> {
  const workspace = await reader.workspaces.get(mailbox.workspaceId);
  if (workspace === null) throw new MailRefused('no_such_mailbox');
  const plan = ctx.plans[workspace.plan];
  if (
    kind === 'email' &&
    workspace.limits === 'cloud' &&
    (await reader.mailboxes.inboundUsed(mailbox.id, timeOf(workspace, now))) >= plan.inboundPerMailboxPerDay
  ) {
    throw new MailRefused('daily_inbound_limit_reached', { limit: plan.inboundPerMailboxPerDay });
  }
  if ((await reader.workspaces.storedBytes(workspace.id)) + sizeBytes > plan.storageBytes) {
    throw new MailRefused('storage_limit_reached', { limit_bytes: plan.storageBytes });
  }
}

/**
 * Stores one copy of a mail in each mailbox of its recipients, all or none. Settles when they are durable and visible.
 * Throws {@link MailRefused}, and `storage_unavailable` if the disk fails.
 */
export async function receiveMessage(ctx: Context, mail: IncomingMail): Promise<Message[]> {
  const put: BlobRef[] = [mail.raw];
  try {
    const facts = await keepFacts(ctx, mail.facts);
    put.push(facts);
    return await store(ctx, mail, facts);
  } catch (error) {
    ctx.store.blobs.discard(put);
    throw error;
  }
}

/** A mail that a client brings over HTTP: its envelope, its bytes, and who brings it. */
interface BroughtMail {
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  readonly raw: Buffer;
  readonly user: string | null;
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
  /** The mailbox that gets it, whatever its recipients. Without it, they decide. */
  readonly into?: MailboxId;
}

/** Stores a mail for its recipients as if SMTP had brought it. Throws as {@link putMessage} does. */
export async function bringMessage(ctx: Context, mail: BroughtMail): Promise<Message[]> {
  const { mailFrom, rcptTo, raw: bytes, user, clientAddress, clientPort, into = null } = mail;
  const facts = { ...ownFacts('api', mailFrom, rcptTo), user, clientAddress, clientPort };
  const raw = await keepBytes(ctx, bytes);
  try {
    return await receiveMessage(ctx, { facts, scanned: scanMail(bytes), raw, into });
  } catch (error) {
    throw error instanceof MailRefused ? refuse(API_CODES[error.reason]) : error;
  }
}

const API_CODES = {
  no_such_mailbox: 'not_found',
  daily_inbound_limit_reached: 'daily_inbound_limit_reached',
  storage_limit_reached: 'storage_limit_reached',
} as const;

function store(ctx: Context, mail: IncomingMail, facts: BlobRef): Promise<Message[]> {
  return ctx.store.transaction(async (tx) => {
    await mail.admit?.(tx);
    return storeIncoming(ctx, tx, mail, facts);
  });
}

/** Stores a mail's copies in a transaction. Throws {@link MailRefused}. */
export async function storeIncoming(ctx: Context, tx: Tx, mail: IncomingMail, facts: BlobRef): Promise<Message[]> {
  const now = momentNow(ctx.clock);
  const { mailFrom } = mail.facts.envelope;
  const stored: Message[] = [];
  for (const [mailbox, rcptTo] of await recipientsByMailbox(ctx, tx, mail)) {
    await checkRoom(ctx, tx, mailbox, mail.scanned.sizeBytes, now, mail.kind);
    const message = await newMessage(ctx, tx, mailbox, { ...mail, mailFrom, rcptTo, facts }, now);
    // The daily limit of the cloud counts emails.
    await (mail.kind === 'sms' ? tx.messages.insertOwn(message) : tx.messages.insert(message));
    if (mail.kind !== 'sms') await ctx.inbound.offer(ctx, tx, message, rcptTo);
    stored.push(message);
  }
  if (mail.kind !== 'sms') await passOn(ctx, tx, mail.facts, stored);
  return stored;
}

async function recipientsByMailbox(
  ctx: Context,
  reader: Reader,
  mail: IncomingMail,
): Promise<Iterable<[Mailbox, string[]]>> {
  const { rcptTo } = mail.facts.envelope;
  if (mail.into !== null) {
    const mailbox = await reader.mailboxes.get(mail.into);
    if (mailbox === null) throw new MailRefused('no_such_mailbox');
    return [[mailbox, [...rcptTo]]];
  }
  const byId = new Map<MailboxId, [Mailbox, string[]]>();
  for (const recipient of rcptTo) {
    const mailbox = await routeRecipient(ctx, reader, recipient);
    const [, recipients] = getOrCreate(byId, mailbox.id, () => [mailbox, []]);
    recipients.push(recipient);
  }
  return byId.values();
}

interface PutMessage {
  /** The RFC 5322 message as a stream of chunks. The caller bounds its size. */
  readonly raw: AsyncIterable<Buffer>;
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
}

/**
 * Stores a message as if SMTP had delivered it, but with an empty envelope
 * (docs/api.md#messages-of-all-mailboxes). Throws `invalid_body`, `not_found`, `daily_inbound_limit_reached` and
 * `storage_limit_reached`.
 */
export async function putMessage(ctx: Context, mailbox: Mailbox, put: PutMessage): Promise<Message> {
  const scanner = createMailScanner();
  const writer = ctx.store.blobs.writer();
  let finished = false;
  try {
    let sizeBytes = 0;
    for await (const chunk of put.raw) {
      sizeBytes += chunk.length;
      scanner.write(chunk);
      await writer.write(chunk);
    }
    if (sizeBytes === 0) throw refuse('invalid_body');
    finished = true;
    const raw = await writer.finish();
    const { clientAddress, clientPort } = put;
    const facts = { ...ownFacts('api', '', []), clientAddress, clientPort };
    const [message] = await receiveMessage(ctx, { facts, scanned: scanner.finish(), raw, into: mailbox.id });
    if (message === undefined) throw refuse('not_found');
    return message;
  } catch (error) {
    if (!finished) writer.abort();
    throw error instanceof MailRefused ? refuse(API_CODES[error.reason], error.extra) : error;
  }
}

/** The part of a scan that the summary of a message needs. */
export type ScannedMail = Omit<Scan, 'parts' | 'limit'>;

/** A mail whose bytes are already in the store. */
export interface KeptMail {
  readonly kind?: Message['kind'] | undefined;
  readonly raw: BlobRef;
  readonly facts: BlobRef;
  readonly scanned: ScannedMail;
  readonly mailFrom: string;
  /** The envelope recipients whose mail goes to this mailbox. */
  readonly rcptTo: readonly string[];
}

/** Builds the mailbox's next message. The caller inserts it in the same transaction. */
export async function newMessage(
  ctx: Context,
  tx: Tx,
  mailbox: Mailbox,
  { kind, raw, facts, scanned, mailFrom, rcptTo }: KeptMail,
  now: Moment,
): Promise<Message> {
  const workspace = await tx.workspaces.get(mailbox.workspaceId);
  return {
    id: ctx.ids.next<MessageId>(now.realNow, await tx.events.lastId(), nextUid(await tx.messages.lastId(mailbox.id))),
    ...(kind !== undefined && { kind }),
    workspaceId: mailbox.workspaceId,
    mailboxId: mailbox.id,
    // The id has real time and this has the time of the workspace (src/domain/time.ts).
    receivedAt: timeOf(workspace, now),
    sizeBytes: scanned.sizeBytes,
    attachmentCount: scanned.attachmentCount,
    from: scanned.from ?? (mailFrom || null),
    to: scanned.to ?? (rcptTo.join(', ') || null),
    cc: scanned.cc,
    subject: scanned.subject,
    mailFrom,
    rcptTo,
    raw,
    facts,
    ...UNMARKED,
  };
}

/**
 * The largest mail that is written with the next transaction. A larger one is written before it, because others wait
 * for a transaction.
 */
const SMALL_BYTES = 64 * 1024;

/** A mail that the server itself made: its envelope and its bytes. */
interface OwnMail {
  readonly source: Exclude<ReceiptMetadata['source'], 'smtp' | 'api' | 'provider'>;
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  readonly raw: Buffer;
}

/** Stores the bytes of a mail that the server made. A transaction then refers to them. */
export async function keepMail(ctx: Context, { source, mailFrom, rcptTo, raw: bytes }: OwnMail): Promise<KeptMail> {
  const raw = await keepBytes(ctx, bytes);
  try {
    const facts = await keepFacts(ctx, ownFacts(source, mailFrom, rcptTo));
    return { raw, facts, scanned: scanMail(bytes), mailFrom, rcptTo };
  } catch (error) {
    ctx.store.blobs.discard([raw]);
    throw error;
  }
}

/** Returns the facts of a mail that arrived over no connection. */
export function ownFacts(
  source: ReceiptMetadata['source'],
  mailFrom: string,
  rcptTo: readonly string[],
): ReceiptMetadata {
  const connection = { helo: null, user: null, tls: null, clientAddress: null, clientPort: null, transcript: [] };
  return { source, envelope: { mailFrom, rcptTo }, ...connection };
}

export function keepFacts({ store }: Context, facts: ReceiptMetadata): Promise<BlobRef> {
  return store.blobs.put(Buffer.from(JSON.stringify(facts)));
}

/** Stores the bytes of a mail. A large mail is written at once. */
export async function keepBytes({ store }: Context, bytes: Buffer): Promise<BlobRef> {
  if (bytes.length <= SMALL_BYTES) return store.blobs.put(bytes);
  const writer = store.blobs.writer();
  try {
    for (let at = 0; at < bytes.length; at += SMALL_BYTES) await writer.write(bytes.subarray(at, at + SMALL_BYTES));
    return await writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}
