import type { Client, MailboxResponse, Server } from '../../../src/client/index.ts';

/** A server as it was found, and what had to be asked for to know it. */
export interface Backend {
  readonly client: Client;
  readonly server: Server;
  readonly local: boolean;
  readonly workspaceId: string | null;
  readonly mailDomain: string | null;
  readonly webhookBaseUrl: string | null;
  /** The mailbox that is meant where none is named. */
  readonly mailboxId: string | null;
  readonly mailboxes: readonly MailboxResponse[];
}

/** Finds out what a client talks to. Throws what the client throws. */
export async function openBackend(client: Client): Promise<Backend> {
  const server = await client.server();
  const [local, mailboxes] = await Promise.all([client.hasLocalApi(), client.listMailboxes()]);
  const info = local ? await client.local.info() : null;
  const workspaceId = server.workspaceId ?? mailboxes[0]?.workspaceId ?? info?.workspaceId ?? null;
  const seeded = mailboxes.find(({ id }) => id === info?.mailboxId);
  return {
    ...{ client, server, local, mailboxes, workspaceId },
    mailDomain: server.mailDomain ?? info?.mailDomain ?? null,
    webhookBaseUrl: server.webhookBaseUrl ?? info?.webhookBaseUrl ?? null,
    mailboxId: (seeded ?? mailboxes.find(({ subdomain }) => subdomain === 'inbox') ?? mailboxes[0])?.id ?? null,
  };
}
