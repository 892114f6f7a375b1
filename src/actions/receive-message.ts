import type { Context } from '../context.ts';
import { parseEnvelopeAddress } from '../domain/address.ts';
import type { MailboxId } from '../domain/ids.ts';
import type { MAIL_REFUSALS } from '../domain/mail-refusal.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { BlobRef, Facts, Message } from '../domain/message.ts';
import { subdomainOf } from '../domain/routing.ts';
import type { Reader } from '../ports/store.ts';
import { keepFacts } from './keep-mail.ts';
import { newMessage, type Scanned } from './new-message.ts';

/** Why mail is not taken. SMTP says it as a reply, the local API as a status. */
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
  /** The connection signed in to this mailbox: all its mail goes there, whatever the recipients. */
  readonly into: MailboxId | null;
  /** Whether who sends it still may, asked in the transaction that stores it; rejects where not. */
  readonly admit?: (reader: Reader) => Promise<void>;
}

/** The mailbox a recipient's mail goes to now: who claims the address, whose subdomain it is, the inbox (contract 6). Null where to none. */
export async function takerOf(ctx: Context, reader: Reader, recipient: string): Promise<Mailbox | null> {
  const claimant = await reader.mailboxes.byAddress(recipient);
  if (claimant !== null) return claimant;
  const address = parseEnvelopeAddress(recipient);
  const subdomain = address === null ? null : subdomainOf(address, ctx.config.mailDomain);
  const mailbox = subdomain === null ? null : await reader.mailboxes.bySubdomain(subdomain);
  return mailbox ?? (ctx.config.catchAll === 'on' ? await reader.mailboxes.inbox() : null);
}

/** The mailbox a recipient's mail goes to now. Throws {@link MailRefused} `no_such_mailbox`. */
export async function routeRecipient(ctx: Context, reader: Reader, recipient: string): Promise<Mailbox> {
  const taker = await takerOf(ctx, reader, recipient);
  if (taker === null) throw new MailRefused('no_such_mailbox');
  return taker;
}

/** Refuses mail of `sizeBytes` that the mailbox's day or the workspace's storage has no room for. */
export async function checkRoom(
  ctx: Context,
  reader: Reader,
  mailbox: Mailbox,
  sizeBytes: number,
  now: number,
): Promise<void> {
  const workspace = await reader.workspaces.get(mailbox.workspaceId);
  if (workspace === null) throw new MailRefused('no_such_mailbox');
  const plan = ctx.plans[workspace.plan];
  if (
    workspace.limits === 'cloud' &&
    (await reader.mailboxes.inboundUsed(mailbox.id, now)) >= plan.inboundPerMailboxPerDay
  ) {
    throw new MailRefused('daily_inbound_limit_reached');
  }
  if ((await reader.workspaces.storedBytes(workspace.id)) + sizeBytes > plan.storageBytes) {
    throw new MailRefused('storage_limit_reached');
  }
}

/**
 * Stores one copy for each mailbox concerned, all or none. Settles when it is durable and visible.
 * Throws {@link MailRefused}, and `storage_unavailable` where the medium refuses.
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
    const now = ctx.clock.now();
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
