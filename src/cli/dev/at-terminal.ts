import { spawn } from 'node:child_process';
import { stdin } from 'node:process';
import { createToolClient } from '../../client/client.ts';
import type { Client } from '../../client/index.ts';
import { copyText, saidCopied } from '../../clipboard.ts';
import type { Mailcap } from '../../index.ts';
import { ownCommand } from '../../own-files.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidCount } from '../../text/said.ts';
import { cut, fill } from '../../text/width.ts';
import { nameOfMessage, SAID } from '../../text/wording.ts';
import { HOTKEYS } from '../banner.ts';
import { after } from '../clock.ts';
import { openInBrowser } from '../open.ts';
import { outputStyles, print, say, surestCode, writeTimeOfDay } from '../output.ts';
import { previewReset } from '../reset.ts';

/** Shows mail as it comes and handles hotkeys. The returned function ends both. */
export function atTerminal(server: Mailcap, stop: () => void): () => void {
  const { bold, dim } = outputStyles();
  const say = (text: string) => print(`  ${text}`);
  const lines = process.stdout.isTTY ? new MailLines(server) : null;

  const showInbox = async () => {
    keys.pause();
    lines?.pause();
    const said = await openInbox(server);
    lines?.resume();
    keys.listen();
    if (said !== null) say(said);
  };
  const reset = async () => {
    const { url, holds, follows, done } = await previewReset(clientOf(server));
    say(bold(`Reset ${url}, which holds ${holds}?`));
    say(`${follows} ${dim('y / n')}`);
    const answer = await keys.next();
    if (answer.toLowerCase() !== 'y') return say(SAID.nothingDeleted);
    await server.reset();
    return say(done);
  };
  const copy = async () => {
    const code = lines?.lastCode ?? null;
    if (code === null) return say('No mail with a code has come yet.');
    const tell = process.stdout.isTTY ? (said: string) => process.stdout.write(said) : null;
    const copied = await copyText(code, { env: process.env, tell, after });
    return say(`${saidCopied(copied, 'the code', code)}.`);
  };
  const browse = async () => {
    const isOpened = await openInBrowser(server.url, () => {});
    say(isOpened ? `Opened ${server.url} in the browser.` : `No browser could be opened; the page is ${server.url}`);
  };
  const help = () => {
    for (const [key, , does] of HOTKEYS) say(`${bold(key)}  ${does}`);
  };

  const keys = new Hotkeys({
    o: browse,
    i: showInbox,
    c: copy,
    r: reset,
    '?': help,
    h: help,
    q: stop,
    '\u0003': stop,
  });
  keys.listen();
  return () => {
    keys.pause();
    lines?.end();
  };
}

function clientOf({ url: baseUrl, apiKey, adminToken }: Mailcap): Client {
  return createToolClient({ baseUrl, apiKey, adminToken: adminToken ?? undefined });
}

/** Reads single keys from standard input, if that is a terminal. */
class Hotkeys {
  readonly #acts: Readonly<Record<string, () => unknown>>;
  #asked: ((key: string) => void) | null = null;
  #listening = false;
  readonly #restore = () => {
    stdin.setRawMode(false);
  };

  constructor(acts: Readonly<Record<string, () => unknown>>) {
    this.#acts = acts;
  }

  listen(): void {
    if (!stdin.isTTY || this.#listening) return;
    this.#listening = true;
    stdin.setRawMode(true);
    stdin.on('data', this.#onData).resume();
    // The terminal is also restored if a second signal ends the process at once.
    process.once('exit', this.#restore);
  }

  /** Stops reading keys, and restores the terminal. */
  pause(): void {
    if (!this.#listening) return;
    this.#listening = false;
    process.off('exit', this.#restore);
    stdin.off('data', this.#onData).pause();
    this.#restore();
  }

  /** Resolves with the next key, which does not run its own action. Ctrl-C still does. */
  next(): Promise<string> {
    return new Promise((resolve) => {
      this.#asked = resolve;
    });
  }

  readonly #onData = (data: Buffer): void => {
    for (const key of data.toString('latin1')) this.#typed(key);
  };

  #typed(key: string): void {
    const asked = this.#asked;
    this.#asked = null;
    if (asked !== null) asked(key);
    if (asked !== null && key !== '\u0003') return;
    const act = Object.hasOwn(this.#acts, key) ? this.#acts[key] : undefined;
    if (act === undefined) return;
    Promise.resolve(act()).catch((error: unknown) => {
      say(error instanceof Error ? error.message : String(error));
    });
  }
}

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
    readonly kind?: string;
    readonly subdomain?: string;
  };
}

/** Prints a line for each mail as it comes: time, mailbox, sender, subject, and its code if it has one. */
class MailLines {
  /** The code of the last mail that had one. */
  lastCode: string | null = null;
  readonly #client: Client;
  readonly #events: ReturnType<Mailcap['follow']>;
  /** The subdomains of mailboxes by their ids. */
  #mailboxes: Map<string, string> | null = null;
  #paused = false;
  #busy = false;

  constructor(server: Mailcap) {
    this.#client = clientOf(server);
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
      `${cut(nameOfMessage({ subject: data.subject ?? null, kind: data.kind }, 500), subjectColumns)}${bold(last)}`,
    ].join('  ');
  }

  /** Returns the code of a message; null if it has none, was deleted, or can't be read. */
  async #codeOf(id: string): Promise<string | null> {
    try {
      return surestCode((await this.#client.local.getMessageFacts(id)).codes);
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

/**
 * Runs `mailcap inbox` on this terminal in a process of its own, so that it can't harm the server. Resolves when it
 * ends, with an error sentence or null.
 */
export function openInbox(server: Mailcap): Promise<string | null> {
  const told = {
    MAILCAP_URL: server.url,
    MAILCAP_API_KEY: server.apiKey,
    MAILCAP_WORKSPACE_ID: server.workspaceId,
    ...(server.adminToken === null ? {} : { MAILCAP_ADMIN_TOKEN: server.adminToken }),
  };
  return new Promise((resolve) => {
    const [program, own] = ownCommand(['inbox']);
    const child = spawn(program, own, {
      stdio: 'inherit',
      env: { ...process.env, ...told },
    });
    // The child process restores the terminal before it ends.
    const end = () => child.kill('SIGTERM');
    process.once('exit', end);
    process.once('SIGTERM', end);
    const leave = (said: string | null) => {
      process.off('exit', end);
      process.off('SIGTERM', end);
      resolve(said);
    };
    child.once('error', (error) => leave(`The inbox could not be started: ${error.message}`));
    child.once('exit', (code) => leave(code === 0 || code === null ? null : `The inbox ended with exit code ${code}.`));
  });
}
