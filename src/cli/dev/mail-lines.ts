import { NO_SUBJECT } from '../../../ui/model/words.ts';
import { createToolClient } from '../../client/client.ts';
import type { Mailcap } from '../../index.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidCount } from '../../text/said.ts';
import { cut, fill } from '../../text/width.ts';
import { print } from '../output.ts';
import { outputStyles } from '../styles.ts';
import { writeTimeOfDay } from '../write.ts';

/** The most mails of one batch that are shown one by one. */
const SHOWN_AT_ONCE = 20;
const MAILBOX_COLUMNS = 12;
const FROM_COLUMNS = 24;

/** The fields of a feed event that are used here. */
interface Told {
  readonly type: string;
  readonly at: string;
  readonly data: {
    readonly mailboxId: string;
    readonly id?: string;
    readonly from?: string | null;
    readonly subject?: string | null;
    readonly subdomain?: string;
  };
}

/** Prints a line for each mail as it comes: time, mailbox, sender, subject, and its code if it has one. */
export class MailLines {
  /** The code of the last mail that had one. */
  lastCode: string | null = null;
  readonly #client: ReturnType<typeof createToolClient>;
  readonly #events: ReturnType<Mailcap['follow']>;
  /** The subdomains of mailboxes by their ids. */
  #mailboxes: Map<string, string> | null = null;
  #paused = false;
  #busy = false;

  constructor(server: Mailcap) {
    const { url: baseUrl, apiKey, adminToken } = server;
    this.#client = createToolClient({ baseUrl, apiKey, ...(adminToken === null ? {} : { adminToken }) });
    // No further events are taken while some are shown. They wait in the store.
    this.#events = server.follow(['message.received', 'mailbox.created'], (bytes) => {
      const lines = bytes.toString('utf8');
      this.#busy = true;
      void this.#show(lines).finally(() => {
        this.#busy = false;
        if (!this.#paused) this.#events.resume();
      });
      return false;
    });
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    if (!this.#busy) this.#events.resume();
  }

  end(): void {
    this.#events.end();
  }

  async #show(lines: string): Promise<void> {
    const events = lines
      .trimEnd()
      .split('\n')
      .map((line): Told => JSON.parse(line)); // The cast is safe: this process wrote the line.
    for (const { type, data } of events)
      if (type === 'mailbox.created') this.#mailboxes?.set(data.mailboxId, data.subdomain ?? '');
    const mails = events.filter(({ type }) => type === 'message.received');
    const shown = mails.slice(0, SHOWN_AT_ONCE);
    for (const mail of shown) print(await this.#lineOf(mail));
    if (mails.length > shown.length) print(`  and ${saidCount(mails.length - shown.length, 'more mail')}`);
  }

  async #lineOf({ at, data }: Told): Promise<string> {
    const { bold, dim } = outputStyles();
    const code = await this.#codeOf(data.id ?? '');
    if (code !== null) this.lastCode = code;
    const columns = process.stdout.columns ?? 80;
    const last = code === null ? '' : `  ${code}`;
    const subjectColumns = Math.max(
      8,
      columns - (2 + 8 + 2 + MAILBOX_COLUMNS + 2 + FROM_COLUMNS + 2 + last.length + 1),
    );
    return [
      `  ${dim(writeTimeOfDay(at))}`,
      fill(await this.#subdomainOf(data.mailboxId), MAILBOX_COLUMNS),
      fill(harmlessLine(data.from ?? ''), FROM_COLUMNS),
      `${cut(harmlessLine(data.subject || NO_SUBJECT), subjectColumns)}${bold(last)}`,
    ].join('  ');
  }

  /** Returns the code of a message; null if it has none, was deleted, or can't be read. */
  async #codeOf(id: string): Promise<string | null> {
    try {
      const { codes } = await this.#client.local.getMessage(id);
      const [best] = codes;
      return best === undefined || best.ambiguous ? null : best.code;
    } catch {
      return null;
    }
  }

  async #subdomainOf(mailboxId: string): Promise<string> {
    this.#mailboxes ??= new Map(
      (await this.#client.listMailboxes().catch(() => [])).map(({ id, subdomain }) => [id, subdomain]),
    );
    return this.#mailboxes.get(mailboxId) ?? '-';
  }
}
