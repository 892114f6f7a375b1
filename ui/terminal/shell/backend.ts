import type { Client, MailboxResponse, Server } from '../../../src/client/index.ts';
import type { CopyResult } from '../../../src/clipboard.ts';

/** A discovered server, and the facts that were loaded to use it. */
export interface TerminalBackend {
  readonly client: Client;
  readonly server: Server;
  readonly local: boolean;
  readonly workspaceId: string | null;
  readonly mailDomain: string | null;
  readonly webhookBaseUrl: string | null;
  /** The id of the default mailbox. */
  readonly mailboxId: string | null;
  readonly mailboxes: readonly MailboxResponse[];
}

/** Loads the facts of the server that a client talks to. Throws the errors of the client. */
export async function openBackend(client: Client): Promise<TerminalBackend> {
  const server = await client.server();
  const [local, mailboxes] = await Promise.all([client.hasLocalApi(), client.listMailboxes()]);
  const info = local ? await client.local.getInfo() : null;
  const workspaceId = server.workspaceId ?? mailboxes[0]?.workspaceId ?? info?.workspaceId ?? null;
  const seeded = mailboxes.find(({ id }) => id === info?.mailboxId);
  return {
    ...{ client, server, local, mailboxes, workspaceId },
    mailDomain: server.mailDomain ?? info?.mailDomain ?? null,
    webhookBaseUrl: server.webhookBaseUrl ?? info?.webhookBaseUrl ?? null,
    mailboxId: (seeded ?? mailboxes.find(({ subdomain }) => subdomain === 'inbox') ?? mailboxes[0])?.id ?? null,
  };
}

/** The functions of the reader's machine that the inbox uses. */
export interface TerminalMachine {
  /** Copies a text to the clipboard and returns the result. Never rejects. */
  copy(text: string): Promise<CopyResult>;
  /** Opens a page in the default browser. */
  browse(url: string): void;
  /** The directory for attachments as the reader sees it, with `~` for the home directory. */
  readonly directory: string;
  /** Saves an attachment in that directory and returns its file name. */
  save(name: string, bytes: Uint8Array): Promise<string>;
}
