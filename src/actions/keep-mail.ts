import type { Context } from '../context.ts';
import type { BlobRef, Facts } from '../domain/message.ts';
import { scanMail } from '../mail/scan.ts';
import type { KeptMail } from './new-message.ts';

/**
 * The largest mail that is written with the next transaction. A larger one is written before it, because others wait
 * for a transaction.
 */
const SMALL_BYTES = 64 * 1024;

/** A mail that the server itself made: its envelope and its bytes. */
export interface OwnMail {
  readonly source: Exclude<Facts['source'], 'smtp' | 'api'>;
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  readonly raw: Buffer;
}

/** Stores the bytes of a mail that the server made. A transaction then refers to them. */
export async function keepMail(ctx: Context, { source, mailFrom, rcptTo, raw: bytes }: OwnMail): Promise<KeptMail> {
  const raw = await keep(ctx, bytes);
  try {
    const facts = await keepFacts(ctx, ownFacts(source, mailFrom, rcptTo));
    return { raw, facts, scanned: scanMail(bytes), mailFrom, rcptTo };
  } catch (error) {
    ctx.store.blobs.discard([raw]);
    throw error;
  }
}

/** Returns the facts of a mail that arrived over no connection. */
export function ownFacts(source: Facts['source'], mailFrom: string, rcptTo: readonly string[]): Facts {
  const connection = { helo: null, user: null, tls: null, clientAddress: null, clientPort: null, transcript: [] };
  return { source, envelope: { mailFrom, rcptTo }, ...connection };
}

export function keepFacts({ store }: Context, facts: Facts): Promise<BlobRef> {
  return store.blobs.put(Buffer.from(JSON.stringify(facts)));
}

async function keep({ store }: Context, bytes: Buffer): Promise<BlobRef> {
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
