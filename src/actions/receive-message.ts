import type { Context } from '../context.ts';
import { parseEnvelopeAddress } from '../domain/address.ts';
import type { MailboxId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { BlobRef, Facts, Message } from '../domain/message.ts';
import { type Moment, timeOf } from '../domain/moment.ts';
import { subdomainOf } from '../domain/routing.ts';
import type { MAIL_REFUSALS } from '../domain/smtp-reply.ts';
import { momentNow } from '../ports/clock.ts';
import type { Reader } from '../ports/store.ts';
import { keepFacts } from './keep-mail.ts';
import { newMessage, type Scanned } from './new-message.ts';

/** Refuses a mail. SMTP answers it with a reply code, the local API with an HTTP status. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  readonly reason: keyof typeof MAIL_REFUSALS;

  constructor(reason: MailRefused['reason']) {
    super(reason);
    this.reason = reason;
  }
}

export interface IncomingMail {
  readonly facts: Facts;
  readonly scanned: Scanned;
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
): Promise<void> {
  const workspace = await reader.workspaces.get(mailbox.workspaceId);
  if (workspace === null) throw new MailRefused('no_such_mailbox');
  const plan = ctx.plans[workspace.plan];
  if (
    workspace.limits === 'cloud' &&
    (await reader.mailboxes.inboundUsed(mailbox.id, timeOf(workspace, now))) >= plan.inboundPerMailboxPerDay
  ) {
    throw new MailRefused('daily_inbound_limit_reached');
  }
  if ((await reader.workspaces.storedBytes(workspace.id)) + sizeBytes > plan.storageBytes) {
    throw new MailRefused('storage_limit_reached');
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

function store(ctx: Context, mail: IncomingMail, facts: BlobRef): Promise<Message[]> {
  return ctx.store.transaction(async (tx) => {
    await mail.admit?.(tx);
    const now = momentNow(ctx.clock);
    const { mailFrom } = mail.facts.envelope;
    const stored: Message[] = [];
    for (const [mailbox, rcptTo] of await recipientsByMailbox(ctx, tx, mail)) {
      await checkRoom(ctx, tx, mailbox, mail.scanned.sizeBytes, now);
      const message = await newMessage(ctx, tx, mailbox, { ...mail, mailFrom, rcptTo, facts }, now);
      await tx.messages.insert(message);
      stored.push(message);
    }
    return stored;
  });
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
    const entry = byId.get(mailbox.id);
    if (entry === undefined) byId.set(mailbox.id, [mailbox, [recipient]]);
    else entry[1].push(recipient);
  }
  return byId.values();
}
