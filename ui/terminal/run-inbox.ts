import type { ReadStream } from 'node:tty';
import type { Client } from '../../src/client/index.ts';
import { mailboxNamed } from '../../src/client/mailbox/open-mailbox.ts';
import type { Terminal } from './screen.ts';
import { type Backend, openBackend } from './shell/backend.ts';
import { printTable } from './table.ts';

export interface RunOptions {
  /** A client that looks for the server anew. */
  readonly connect: () => Client;
  /** The id or the subdomain of a mailbox; null for the one that is meant where none is named. */
  readonly mailbox: string | null;
  readonly stdin: ReadStream;
  readonly stdout: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly browse: (url: string, failed: () => void) => void;
  /** What went wrong as a sentence, as every command says it. */
  readonly explain?: (error: unknown) => string;
}

/** There is no mailbox of that name. */
export class NoMailboxError extends Error {
  override readonly name = 'NoMailboxError';
}

/** The inbox, on a terminal; elsewhere its newest messages as a table. The exit code. Throws what the client throws, and {@link NoMailboxError}. */
export async function runInbox(options: RunOptions): Promise<number> {
  const { connect, mailbox, stdin, stdout, env } = options;
  const isTerminal = stdin.isTTY && stdout.isTTY && env['TERM'] !== 'dumb';
  // Loading the view takes longer than asking the server.
  const view = isTerminal ? import('./show-inbox.tsx') : null;
  view?.catch(() => {});
  const backend = await openBackend(connect());
  const openId = mailbox === null ? null : idOf(backend, mailbox);
  if (view === null) return printTable(backend, openId, stdout);
  const { showInbox } = await view;
  return showInbox({ ...options, backend, openId });
}

function idOf({ mailboxes }: Backend, wanted: string): string {
  const found = mailboxNamed(mailboxes, wanted);
  if (found !== null) return found.id;
  const names = mailboxes.slice(0, 10).map(({ subdomain }) => subdomain);
  const more = mailboxes.length > names.length ? ' ...' : '';
  throw new NoMailboxError(`there is no mailbox ${wanted}; there are ${names.join(', ')}${more}.`);
}
