import { setImmediate } from 'node:timers/promises';
import {
  keepBytes,
  keepFacts,
  MailRefused,
  type ScannedMail,
  storeIncoming,
  takerOf,
} from '../actions/receive-message.ts';
import { timeIn } from '../actions/time.ts';
import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import type { BlobRef, Message, ReceiptMetadata } from '../domain/message.ts';
import type { ProviderMail, ProviderName } from '../domain/provider.ts';
import { composeMessage } from '../mail/compose.ts';
import { createMailScanner } from '../mail/scan.ts';
import type { Tx } from '../ports/store.ts';

/** How mails came: which provider's API took them, over which connection, with which request and answer. */
export interface DoorArrival {
  readonly provider: ProviderName;
  readonly workspaceId: WorkspaceId;
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
  /** The request and the answer, in lines with `C: ` or `S: `, without keys. */
  readonly transcript: readonly string[];
}

/** Returns the lines of a request and its answer as a message shows them. */
export function transcriptOf(request: readonly string[], answer: readonly string[]): string[] {
  return [...request.map((line) => `C: ${line}`), ...answer.map((line) => `S: ${line}`)];
}

/** A mail whose bytes are in the store. */
export interface ReadyMail {
  readonly mail: ProviderMail;
  readonly facts: ReceiptMetadata;
  readonly raw: BlobRef;
  readonly kept: BlobRef;
  readonly scanned: ScannedMail;
}

/** The most bytes that the mails of one request may have together. A request may send one file to a thousand people. */
const MOST_BYTES = 256 * 1024 * 1024;
/** The bytes that are scanned in one turn of the event loop. */
const STEP_BYTES = 64 * 1024;

/**
 * Composes the mails of a request and stores their bytes, or none of them. The caller discards mails that it does not
 * store. Throws {@link MailRefused} for a recipient that no mailbox takes, and `payload_too_large`.
 */
export async function readyMails(
  ctx: Context,
  mails: readonly ProviderMail[],
  arrival: DoorArrival,
  isTestAddress: (address: string) => boolean,
): Promise<ReadyMail[]> {
  const reached = await reachedOf(ctx, mails, isTestAddress);
  const ready: ReadyMail[] = [];
  let bytes = 0;
  try {
    for (const mail of mails) {
      const raw = await bytesOf(ctx, mail, arrival.workspaceId);
      bytes += raw.length;
      if (bytes > MOST_BYTES) throw refuse('payload_too_large');
      const rcptTo = mail.recipients.filter((address) => reached.has(address));
      ready.push(await keep(ctx, mail, raw, rcptTo, arrival));
    }
    return ready;
  } catch (error) {
    discardMails(ctx, ready);
    throw error;
  }
}

export function discardMails({ store }: Context, ready: readonly ReadyMail[]): void {
  store.blobs.discard(ready.flatMap(({ raw, kept }) => [raw, kept]));
}

/** The mails that one turn of the event loop stores or records. */
const MAILS_OF_TURN = 50;

/** Lets other requests be served between the mails of a request, of which `done` are done. */
export async function otherTurn(done: number): Promise<void> {
  if (done % MAILS_OF_TURN === MAILS_OF_TURN - 1) await setImmediate();
}

/**
 * Stores mails in the mailboxes of their recipients, as SMTP does. A mail to simulated recipients alone goes to the inbox.
 * Returns the copies of each mail. Throws {@link MailRefused}.
 */
export async function storeMails(ctx: Context, tx: Tx, ready: readonly ReadyMail[]): Promise<Message[][]> {
  const stored: Message[][] = [];
  for (const { mail, facts, raw, kept, scanned } of ready) {
    await otherTurn(stored.length);
    stored.push(await storeIncoming(ctx, tx, { kind: mail.kind, facts, scanned, raw, into: null }, kept));
  }
  return stored;
}

/**
 * Returns the recipients that a mailbox takes mail for. Test addresses need none. Refuses any other recipient before bytes
 * are stored; the transaction checks again.
 */
async function reachedOf(
  ctx: Context,
  mails: readonly ProviderMail[],
  isTestAddress: (address: string) => boolean,
): Promise<ReadonlySet<string>> {
  const read = await ctx.store.readNow();
  const reached = new Set<string>();
  for (const recipient of new Set(mails.flatMap(({ recipients }) => recipients))) {
    if ((await takerOf(ctx, read, recipient)) !== null) reached.add(recipient);
    else if (!isTestAddress(recipient)) throw new MailRefused('no_such_mailbox');
  }
  return reached;
}

async function bytesOf(ctx: Context, mail: ProviderMail, workspaceId: WorkspaceId): Promise<Buffer> {
  if (mail.raw !== undefined) return mail.raw;
  const date = await timeIn(ctx, ctx.store.read, workspaceId);
  return composeMessage(mail, { messageId: mail.messageId, date });
}

async function keep(
  ctx: Context,
  mail: ProviderMail,
  bytes: Buffer,
  rcptTo: readonly string[],
  arrival: DoorArrival,
): Promise<ReadyMail> {
  const scanner = createMailScanner();
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    scanner.write(bytes.subarray(at, at + STEP_BYTES));
    await setImmediate();
  }
  const { provider, workspaceId, clientAddress, clientPort, transcript } = arrival;
  const facts: ReceiptMetadata = {
    source: 'provider',
    provider: { name: provider, id: mail.id, workspaceId },
    envelope: { mailFrom: mail.mailFrom, rcptTo },
    helo: null,
    user: null,
    tls: null,
    clientAddress,
    clientPort,
    transcript,
  };
  const raw = await keepBytes(ctx, bytes);
  try {
    const scanned = scanner.finish();
    const kept = await keepFacts(ctx, facts);
    if (mail.kind !== 'sms') return { mail, facts, raw, kept, scanned };
    // The header fields of a text message have addresses, so that mail programs read it. People know the numbers.
    const numbers = { from: mail.mailFrom, to: mail.recipients.join(', ') };
    return { mail, facts, raw, kept, scanned: { ...scanned, ...numbers, subject: null } };
  } catch (error) {
    ctx.store.blobs.discard([raw]);
    throw error;
  }
}
