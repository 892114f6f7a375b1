import { setImmediate } from 'node:timers/promises';
import type { CheckResult, RawCheckOptions } from '../checks/check-mail.ts';
import type { SearchDocument } from '../domain/search/document.ts';
import { MAX_CHARACTERS, type MailBodies, type MailContent, whyUnread } from '../extract/bounds.ts';
import type { FoundCodesAndLinks, SeenMail } from '../extract/find.ts';
import { cutBodies } from '../extract/mail-page.ts';
import { PAGE_BOUNDS } from '../extract/page-weight.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { PageLook } from '../extract/safe-html.ts';
import { type Parse, readKnown } from '../mail/parse.ts';
import type { PageBytes, PagePicture, ReadMail } from '../ports/mail.ts';
import type { Log } from '../ports/system.ts';
import { fromMessage, type PageTask, type ParseTask, type TaskKind } from './parse-message.ts';
import { type ParseBounds, type ParseFailure, type ParseOutcome, ParseThread } from './parse-thread.ts';

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
    return this.#queued(sizeBytes, async (thread) => {
      if (fits) this.#waitingBytes -= sizeBytes;
      const mail = held ?? (await read());
      held = null;
      return this.#parse(thread, mail);
    });
  }

  /** Finds codes and links. It never rejects. */
  async find(texts: MailContent): Promise<FoundCodesAndLinks> {
    const outcome = await this.#search('find', texts);
    return 'result' in outcome ? { ...outcome.result, findError: whyUnread(texts) } : this.#nothingFound(outcome);
  }

  /** Like `find`, with the HTML as text. */
  async see(texts: MailContent): Promise<SeenMail> {
    const outcome = await this.#search('see', texts);
    if ('result' in outcome) return { ...outcome.result, findError: whyUnread(texts) };
    return { ...this.#nothingFound(outcome), readable: null };
  }

  #search<Kind extends 'find' | 'see'>(kind: Kind, { subject, text, html }: MailContent): Promise<ParseOutcome<Kind>> {
    // The thread gets only the part of the texts that it reads.
    const texts = {
      subject,
      text: text?.slice(0, MAX_CHARACTERS) ?? null,
      html: html?.slice(0, MAX_CHARACTERS) ?? null,
    };
    const task = { kind, texts } as ParseTask<Kind>; // both kinds take texts
    return this.#queued((texts.text?.length ?? 0) + (texts.html?.length ?? 0), (thread) => this.#run(thread, task));
  }

  #nothingFound({ reason }: ParseFailure): FoundCodesAndLinks {
    this.#log.warn('the search for the codes and links of a mail failed', { reason });
    const findError = `The search for codes and links failed. ${reason}`.trim();
    return { codes: [], refused: [], links: [], findError };
  }

  /**
   * Checks a mail, which is read when its turn comes. It rejects only if `read` does. A string result is the reason why
   * the check failed.
   */
  check(sizeBytes: number, read: () => Promise<Buffer>, options: RawCheckOptions): Promise<CheckResult | string> {
    return this.#queued(sizeBytes, async (thread) => {
      const raw = await copyOf(await read());
      const outcome = await this.#run(thread, { kind: 'check', raw, options }, [raw]);
      if ('result' in outcome) return outcome.result;
      this.#warn('a mail could not be checked', outcome, sizeBytes);
      return outcome.reason;
    });
  }

  /** Makes the documents of mails. A document is null if it could not be made. It never rejects. */
  async documents(mails: readonly ReadMail[]): Promise<readonly (SearchDocument | null)[]> {
    const sizeBytes = mails.reduce((sum, { raw }) => sum + raw.length, 0);
    const outcome = await this.#queued(sizeBytes, async (thread) => {
      const copies = mails.map(({ message, raw }) => ({ message, raw: new Uint8Array(raw).buffer }));
      const moved = copies.map(({ raw }) => raw);
      return this.#run(thread, { kind: 'documents', mails: copies }, moved);
    });
    if ('result' in outcome) return outcome.result;
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
    return this.#queued(sizeBytes, async (thread) => {
      const [shown, moved] = await readPictures(pictures);
      const task = { kind: 'page', bodies: { html, text }, allowed, look, pictures: shown } as const;
      const outcome = await this.#run(thread, task, moved);
      if ('result' in outcome) return outcome.result;
      this.#warn('a mail could not be rendered', outcome, sizeBytes);
      return outcome.reason;
    });
  }

  /** Makes the thumbnail of a picture. Null if that failed. It never rejects. */
  thumbnail(content: Buffer): Promise<Uint8Array | null> {
    return this.#queued(content.length, async (thread) => {
      const copy = await copyOf(content);
      const outcome = await this.#run(thread, { kind: 'thumbnail', content: copy }, [copy]);
      return 'result' in outcome ? outcome.result : null;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map((thread) => thread.stop(STOPPING)));
  }

  /** Runs work once a thread is free for it, and settles as the work does. */
  #queued<T>(sizeBytes: number, work: (thread: ParseThread) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.add((thread) => work(thread).then(resolve, reject), sizeBytes);
      this.#work();
    });
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
    const outcome = await this.#run(thread, { kind: 'parse', raw: copy }, [copy]);
    if ('result' in outcome) return fromMessage(outcome.result);
    this.#warn('a mail could not be parsed', outcome, raw.length);
    return { mail: await withoutParts(raw, outcome), contents: [] };
  }

  async #run<Kind extends TaskKind>(
    thread: ParseThread,
    task: ParseTask<Kind>,
    moved?: ArrayBuffer[],
  ): Promise<ParseOutcome<Kind>> {
    return this.#closed ? { reason: STOPPING, known: null } : thread.run(task, moved);
  }

  #warn(what: string, { reason }: ParseFailure, sizeBytes: number): void {
    if (!this.#closed) this.#log.warn(what, { reason, sizeBytes });
  }
}

/** Returns the bytes for a thread: a copy, because the store may use the same buffer. */
async function copyOf(raw: Buffer): Promise<ArrayBuffer> {
  // Reading a large mail has just blocked the event loop, and copying it blocks it too, so others run in between.
  if (raw.length > LARGE_BYTES) await setImmediate();
  return new Uint8Array(raw).buffer;
}

async function withoutParts(raw: Buffer, { known, reason: parseError }: ParseFailure): Promise<Parse['mail']> {
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
