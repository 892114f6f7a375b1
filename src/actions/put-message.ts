import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Facts, Message } from '../domain/message.ts';
import { unreachable } from '../domain/unreachable.ts';
import { createMailScanner } from '../mail/scan.ts';
import { MailRefused, receiveMessage } from './receive-message.ts';

export interface PutMessage {
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
    const facts: Facts = {
      source: 'api',
      envelope: { mailFrom: '', rcptTo: [] },
      helo: null,
      user: null,
      tls: null,
      clientAddress: put.clientAddress,
      clientPort: put.clientPort,
      transcript: [],
    };
    const [message] = await receiveMessage(ctx, { facts, scanned: scanner.finish(), raw, into: mailbox.id });
    if (message === undefined) throw refuse('not_found');
    return message;
  } catch (error) {
    if (!finished) writer.abort();
    throw error instanceof MailRefused ? await refusal(ctx, mailbox, error) : error;
  }
}

async function refusal(ctx: Context, mailbox: Mailbox, error: MailRefused): Promise<Error> {
  const workspace = await ctx.store.read.workspaces.get(mailbox.workspaceId);
  if (workspace === null) return refuse('not_found');
  const plan = ctx.plans[workspace.plan];
  switch (error.reason) {
    case 'no_such_mailbox':
      return refuse('not_found');
    case 'daily_inbound_limit_reached':
      return refuse('daily_inbound_limit_reached', { limit: plan.inboundPerMailboxPerDay });
    case 'storage_limit_reached':
      return refuse('storage_limit_reached', { limit_bytes: plan.storageBytes });
    default:
      return unreachable(error.reason);
  }
}
