import { setImmediate } from 'node:timers/promises';
import type { CheckResult, RawCheckOptions } from '../checks/check-mail.ts';
import type { SearchDocument } from '../domain/search/document.ts';
import { MAX_CHARACTERS, whyUnread } from '../extract/bounds.ts';
import type { CodeText } from '../extract/codes.ts';
import type { FoundCodesAndLinks, SeenMail } from '../extract/find.ts';
import { cutBodies, type MailBodies } from '../extract/mail-page.ts';
import { PAGE_BOUNDS } from '../extract/page-weight.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { PageLook } from '../extract/safe-html.ts';
import { type Parse, readKnown } from '../mail/parse.ts';
import type { PageBytes, PagePicture, ReadMail } from '../ports/mail.ts';
import type { Log } from '../ports/system.ts';
import { fromMessage, type PageTask } from './parse-message.ts';
import { type KnownFacts, type ParseBounds, type ParseOutcome, ParseThread } from './parse-thread.ts';

/** The number of threads: one for large mails, and one that stays free for small ones. */
const THREADS = 2;
const STOPPING = 'The server is stopping.';

/** A task for a thread. It settles its caller's promise and never rejects. */
type Task = (thread: ParseThread) => Promise<void>;

/**
 * Parses large and unusual mails in threads, and finds codes and links in long texts. Small tasks overtake large ones.
 */
export class ParsePool {
  readonly #log: Log;
  readonly #maxWaitingBytes: number;
  readonly #idle: ParseThread[];
  readonly #threads: readonly ParseThread[];
  readonly #queue = new ParseQueue<Task>();
  #waitingBytes = 0;
  #isAtLarge = false;
  #closed = false;

  constructor(log: Log, bounds: ParseBounds, maxWaitingBytes: number) {
    this.#log = log;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#threads = Array.from({ length: THREADS }, () => new ParseThread(bounds));
    this.#idle = [...this.#threads];
  }

  /**
   * Parses a mail. If the queue holds too many bytes, it drops `raw` and calls `read` when the mail's turn comes. It
   * rejects only if `read` does.
   */
  parse(raw: Buffer, read: () => Promise<Buffer>): Promise<Parse> {
    const sizeBytes = raw.length;
    const fits = this.#waitingBytes === 0 || this.#waitingBytes + sizeBytes <= this.#maxWaitingBytes;
    let held = fits ? raw : null;
    if (fits) this.#waitingBytes += sizeBytes;
    return new Promise((resolve, reject) => {
      this.#add(sizeBytes, async (thread) => {
        if (fits) this.#waitingBytes -= sizeBytes;
        try {
          const mail = held ?? (await read());
          held = null;
          resolve(await this.#parse(thread, mail));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Finds codes and links. It never rejects. */
  async find(texts: CodeText): Promise<FoundCodesAndLinks> {
    const outcome = await this.#search('find', texts);
    return outcome.kind === 'found' ? { ...outcome.found, findError: whyUnread(texts) } : this.#nothingFound(outcome);
  }

  /** Like `find`, with the HTML as text. */
  async see(texts: CodeText): Promise<SeenMail> {
    const outcome = await this.#search('see', texts);
    if (outcome.kind === 'seen') return { ...outcome.seen, findError: whyUnread(texts) };
    return { ...this.#nothingFound(outcome), readable: null };
  }

  #search(kind: 'find' | 'see', { subject, text, html }: CodeText): Promise<ParseOutcome> {
    // The thread gets only the part of the texts that it reads.
    const texts = {
      subject,
      text: text?.slice(0, MAX_CHARACTERS) ?? null,
      html: html?.slice(0, MAX_CHARACTERS) ?? null,
    };
    return new Promise((resolve) => {
      this.#add((texts.text?.length ?? 0) + (texts.html?.length ?? 0), async (thread) => {
        resolve(await this.#run(() => thread.run({ kind, texts })));
      });
    });
  }

  #nothingFound(outcome: ParseOutcome): FoundCodesAndLinks {
    const reason = outcome.kind === 'failed' ? outcome.reason : '';
    this.#log.warn('the search for the codes and links of a mail failed', { reason });
    const findError = `The search for codes and links failed. ${reason}`.trim();
    return { codes: [], refused: [], links: [], findError };
  }

  /**
   * Checks a mail, which is read when its turn comes. It rejects only if `read` does. A string result is the reason why
   * the check failed.
   */
  check(sizeBytes: number, read: () => Promise<Buffer>, options: RawCheckOptions): Promise<CheckResult | string> {
    return new Promise((resolve, reject) => {
      this.#add(sizeBytes, async (thread) => {
        try {
          const copy = await copyOf(await read());
          const outcome = await this.#run(() => thread.run({ kind: 'check', raw: copy, options }, [copy]));
          if (outcome.kind === 'checked') return resolve(outcome.checked);
          const reason = outcome.kind === 'failed' ? outcome.reason : '';
          if (!this.#closed) this.#log.warn('a mail could not be checked', { reason, sizeBytes });
          resolve(reason);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Makes the documents of mails. A document is null if it could not be made. It never rejects. */
  async documents(mails: readonly ReadMail[]): Promise<readonly (SearchDocument | null)[]> {
    const sizeBytes = mails.reduce((sum, { raw }) => sum + raw.length, 0);
    const outcome = await new Promise<ParseOutcome>((resolve) => {
      this.#add(sizeBytes, async (thread) => {
        const copies = mails.map(({ message, raw }) => ({ message, raw: new Uint8Array(raw).buffer }));
        const moved = copies.map(({ raw }) => raw);
        resolve(await this.#run(() => thread.run({ kind: 'documents', mails: copies }, moved)));
      });
    });
    if (outcome.kind === 'documents') return outcome.documents;
    if (mails.length < 2) return [null];
    // One of them took too long. The others get their documents alone.
    const alone: (SearchDocument | null)[] = [];
    for (const mail of mails) alone.push(...(await this.documents([mail])));
    return alone;
  }

  /** Makes a page. It reads the pictures when its turn comes. It rejects only if a `read` does. */
  page(
    bodies: MailBodies,
    allowed: AllowedHosts,
    pictures: readonly PagePicture[],
    look: PageLook = {},
  ): Promise<PageBytes | string> {
    const { html, text } = cutBodies(bodies);
    const sizeBytes = (html ?? text ?? '').length + sizeOf(pictures);
    return new Promise((resolve, reject) => {
      this.#add(sizeBytes, async (thread) => {
        try {
          const [shown, moved] = await readPictures(pictures);
          const task = { kind: 'page', bodies: { html, text }, allowed, look, pictures: shown } as const;
          const outcome = await this.#run(() => thread.run(task, moved));
          if (outcome.kind === 'page') return resolve(outcome.page);
          const reason = outcome.kind === 'failed' ? outcome.reason : '';
          if (!this.#closed) this.#log.warn('a mail could not be rendered', { reason, sizeBytes });
          resolve(reason);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Makes the thumbnail of a picture. Null if that failed. It never rejects. */
  async thumbnail(content: Buffer): Promise<Uint8Array | null> {
    const outcome = await new Promise<ParseOutcome>((resolve) => {
      this.#add(content.length, async (thread) => {
        const copy = await copyOf(content);
        resolve(await this.#run(() => thread.run({ kind: 'thumbnail', content: copy }, [copy])));
      });
    });
    return outcome.kind === 'thumbnail' ? outcome.jpeg : null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map((thread) => thread.stop(STOPPING)));
  }

  #add(sizeBytes: number, task: Task): void {
    this.#queue.add(task, sizeBytes);
    this.#work();
  }

  #work(): void {
    // Running threads are used first, because the others must start first.
    this.#idle.sort((a, b) => Number(b.isUp) - Number(a.isUp));
    for (const thread of [...this.#idle]) {
      const next = this.#queue.take(!this.#isAtLarge);
      if (next === undefined) return;
      this.#idle.splice(this.#idle.indexOf(thread), 1);
      if (next.isLarge) this.#isAtLarge = true;
      void next.task(thread).then(() => {
        if (next.isLarge) this.#isAtLarge = false;
        this.#idle.push(thread);
        this.#work();
      });
    }
  }

  async #parse(thread: ParseThread, raw: Buffer): Promise<Parse> {
    const copy = await copyOf(raw);
    const outcome = await this.#run(() => thread.run({ kind: 'parse', raw: copy }, [copy]));
    if (outcome.kind === 'parsed') return fromMessage(outcome.parsed);
    const { reason, known } = outcome.kind === 'failed' ? outcome : { reason: 'The parser failed.', known: null };
    if (!this.#closed) this.#log.warn('a mail could not be parsed', { reason, sizeBytes: raw.length });
    return { mail: await withoutParts(raw, known, reason), contents: [] };
  }

  async #run(run: () => Promise<ParseOutcome>): Promise<ParseOutcome> {
    return this.#closed ? { kind: 'failed', reason: STOPPING, known: null } : run();
  }
}

/** Returns the bytes for a thread: a copy, because the store may use the same buffer. */
async function copyOf(raw: Buffer): Promise<ArrayBuffer> {
  // Reading a large mail has just blocked the event loop, and copying it blocks it too, so others run in between.
  if (raw.length > LARGE_BYTES) await setImmediate();
  return new Uint8Array(raw).buffer;
}

async function withoutParts(raw: Buffer, known: KnownFacts | null, parseError: string): Promise<Parse['mail']> {
  if (known === null) return readKnown(raw, parseError);
  return { ...fromMessage({ ...known, contents: new ArrayBuffer(0) }).mail, parseError };
}

/** A queued task. */
interface Waiting<Task> {
  readonly task: Task;
  readonly isLarge: boolean;
  /** The position in the order. The lowest value comes first. */
  readonly turn: number;
}

/** A later task may overtake a task for each block of this many bytes. */
const PASSED_BY_BYTES = 64 * 1024;
/**
 * The size in bytes above which a task counts as large. One large task runs at a time, which bounds memory and leaves a
 * thread to small tasks.
 */
export const LARGE_BYTES = 1024 * 1024;

/**
 * A queue that prefers small tasks but starves none: a task is overtaken at most once per 64 KiB of its size. It uses
 * no clock, so the order depends on the input alone.
 */
export class ParseQueue<Task> {
  readonly #waiting: Waiting<Task>[] = [];
  #came = 0;

  add(task: Task, sizeBytes: number): void {
    this.#waiting.push({
      task,
      isLarge: sizeBytes > LARGE_BYTES,
      turn: ++this.#came + Math.floor(sizeBytes / PASSED_BY_BYTES),
    });
  }

  /**
   * Removes and returns the next task. It skips large tasks unless they are allowed. Returns undefined if there is
   * none.
   */
  take(largeIsAllowed: boolean): { readonly task: Task; readonly isLarge: boolean } | undefined {
    let first = -1;
    for (const [index, { turn, isLarge }] of this.#waiting.entries()) {
      if (isLarge && !largeIsAllowed) continue;
      if (first < 0 || turn < (this.#waiting[first]?.turn ?? 0)) first = index;
    }
    return first < 0 ? undefined : this.#waiting.splice(first, 1)[0];
  }
}

/** The characters of a byte in base64. */
const BASE64 = 4 / 3;

/** Returns the size of the embedded pictures in bytes. */
export function sizeOf(pictures: readonly PagePicture[]): number {
  return pictures.reduce((sum, { shown }) => sum + (typeof shown === 'string' ? 0 : shown.sizeBytes), 0);
}

/**
 * Reads the pictures for a thread: copies of their bytes, which are moved to it. Pictures that a page has no room for are
 * not read.
 */
async function readPictures(
  pictures: readonly PagePicture[],
): Promise<[shown: PageTask['pictures'], moved: ArrayBuffer[]]> {
  const all: PageTask['pictures'][number][] = [];
  const moved: ArrayBuffer[] = [];
  let room = PAGE_BOUNDS.pictures;
  for (const { contentId, shown } of pictures) {
    if (typeof shown === 'string') all.push([contentId, shown]);
    else if (shown.sizeBytes * BASE64 > room) all.push([contentId, null]);
    else {
      room -= shown.sizeBytes * BASE64;
      const { contentType, content } = await shown.read();
      const bytes = new Uint8Array(content);
      moved.push(bytes.buffer);
      all.push([contentId, { contentType, bytes }]);
    }
  }
  return [all, moved];
}
