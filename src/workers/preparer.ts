import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { ReadMail } from '../ports/mail.ts';
import type { PreparedText } from '../ports/store.ts';

/** In a store with fewer messages, a search that reads the mails is as fast. */
const FEW_MESSAGES = 100;
/** The number of messages without a text from which texts are prepared. A search reads fewer of them itself. */
const LEAST = 16;
/** The number of texts that are stored together. */
const TEXTS = 128;
/** The number of mails and of bytes that a thread gets at a time. Readers of mail wait for it meanwhile. */
const MAILS = 16;
const BYTES = 256 * 1024;
/** The time in milliseconds between mail that comes and the preparation of its text. */
const WAIT_MS = 1_000;
/** While more messages than this come in a second, nothing is prepared. */
const MOST_A_SECOND = 500;

/**
 * Prepares the texts of messages for searches, in the background: at the start, and a second after mail came. The
 * returned function stops it.
 */
export function startPreparer(ctx: Context): () => Promise<void> {
  let isStopped = false;
  let isScheduled = false;
  let hasNews = false;
  let cancel = () => {};
  let last: { readonly at: number; readonly messages: number } | null = null;

  /** Tells whether so little mail came since the last look that its preparation costs nobody time. */
  const isQuiet = async (): Promise<boolean> => {
    const { messages } = await ctx.store.read.counts();
    const at = ctx.clock.steady();
    const before = last;
    last = { at, messages };
    // The first look tells nothing. A thread that starts in a burst of mail costs more than the texts.
    if (before === null) return false;
    return messages - before.messages <= MOST_A_SECOND * Math.min(1, (at - before.at) / 1_000) + LEAST;
  };

  /** Prepares what is missing. Returns whether to go on later. */
  const prepare = async (): Promise<boolean> => {
    for (let before: MessageId | undefined; !isStopped; ) {
      if (!(await isQuiet())) return true;
      if ((last?.messages ?? 0) < FEW_MESSAGES) return false;
      const messages = await ctx.store.texts.missing(TEXTS);
      const oldest = messages[0]?.id;
      // A store that can't keep a text now is asked again after the next mail.
      if (messages.length < LEAST || oldest === before) return false;
      before = oldest;
      const texts: PreparedText[] = [];
      for (const batch of batchesOf(messages)) if (!isStopped) texts.push(...(await documentsOf(ctx, batch)));
      // A parser that was closed meanwhile has made no documents.
      if (!isStopped) await ctx.store.texts.add(texts);
    }
    return false;
  };

  const turn = async (): Promise<void> => {
    hasNews = false;
    let goesOn = false;
    try {
      goesOn = await prepare();
    } catch (error) {
      if (!isStopped) ctx.log.error('the texts for searches could not be prepared', { error });
    }
    isScheduled = false;
    if (goesOn || hasNews) schedule();
  };
  const schedule = (): void => {
    if (isStopped || isScheduled) return;
    isScheduled = true;
    cancel = ctx.clock.after(WAIT_MS, () => void turn());
  };

  const removeListener = ctx.store.onCommit(({ mailboxIds, all }) => {
    if (mailboxIds.size === 0 && !all) return;
    hasNews = true;
    schedule();
  });
  schedule();
  // A batch that a thread works on is given up, so that it delays no stop.
  return async () => {
    isStopped = true;
    removeListener();
    cancel();
  };
}

/** Divides messages into batches that a thread gets at a time. */
function* batchesOf(messages: readonly Message[]): Generator<readonly Message[], void, void> {
  let batch: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    if (batch.length > 0 && (batch.length === MAILS || bytes + message.sizeBytes > BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += message.sizeBytes;
  }
  if (batch.length > 0) yield batch;
}

/** Makes the texts of messages. A mail that can't be read has none. */
async function documentsOf({ store, parser }: Context, messages: readonly Message[]): Promise<PreparedText[]> {
  const mails: ReadMail[] = [];
  const texts: PreparedText[] = [];
  for (const message of messages) {
    const raw = await store.blobs.read(message.raw).catch(() => null);
    if (raw === null) texts.push({ id: message.id, document: null });
    else mails.push({ message, raw });
  }
  const documents = mails.length === 0 ? [] : await parser.documents(mails);
  for (const [index, { message }] of mails.entries())
    texts.push({ id: message.id, document: documents[index] ?? null });
  return texts;
}
