import { createHash } from 'node:crypto';
import { ALL_SCOPES, type ApiKey } from '../../src/domain/api-key.ts';
import type { Authenticator } from '../../src/domain/authenticator.ts';
import type { AuthenticatorId, GroupId, KeyId, MailboxId, MessageId, Ulid, WorkspaceId } from '../../src/domain/ids.ts';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import { UNMARKED } from '../../src/domain/marks.ts';
import type { BlobRef, Message } from '../../src/domain/message.ts';
import type { Workspace } from '../../src/domain/workspace.ts';
import type { Store } from '../../src/ports/store.ts';

/** 2026-11-20T12:00:00Z */
export const NOON = Date.UTC(2026, 10, 20, 12);

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
let made = 0;

/** Returns a ULID of a time. Later calls return greater ones. */
export function ulidAt<Id extends Ulid>(time: number): Id {
  let text = '';
  for (let rest = time, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = ALPHABET.charAt(rest % 32) + text;
  let serial = '';
  for (let rest = made++, i = 0; i < 16; i++, rest = Math.floor(rest / 32))
    serial = ALPHABET.charAt(rest % 32) + serial;
  return (text + serial) as Id; // the text is built as a valid ULID
}

export function aWorkspace(over: Partial<Workspace> = {}): Workspace {
  const id = ulidAt<WorkspaceId>(NOON);
  return {
    id,
    name: 'w',
    plan: 'business',
    limits: 'cloud',
    walletMillicents: 0,
    seeded: false,
    createdAt: NOON,
    ...over,
  };
}

export function aMailbox(workspaceId: WorkspaceId, over: Partial<Mailbox> = {}): Mailbox {
  const id = ulidAt<MailboxId>(NOON);
  return {
    id,
    workspaceId,
    groupId: null,
    name: 'box',
    subdomain: `box-${id.toLowerCase()}`,
    retentionDays: 30,
    outboundEnabled: false,
    allowlist: [],
    seeded: false,
    createdAt: NOON,
    ...over,
  };
}

export function aKey(workspaceId: WorkspaceId, over: Partial<ApiKey> = {}): ApiKey {
  const id = ulidAt<KeyId>(NOON);
  const hash = createHash('sha256').update(id).digest('hex');
  return {
    id,
    workspaceId,
    name: 'k',
    hash,
    scopes: ALL_SCOPES,
    seeded: false,
    createdAt: NOON,
    revokedAt: null,
    ...over,
  };
}

export function aGroup(workspaceId: WorkspaceId): {
  id: GroupId;
  workspaceId: WorkspaceId;
  name: string;
  createdAt: number;
} {
  return { id: ulidAt<GroupId>(NOON), workspaceId, name: 'g', createdAt: NOON };
}

export function anAuthenticator(workspaceId: WorkspaceId): Authenticator {
  const id = ulidAt<AuthenticatorId>(NOON);
  const parameters = { algorithm: 'sha1', digits: 6, period: 30 } as const;
  return { id, workspaceId, name: 'a', secret: 'ME', ...parameters, label: 'x', issuer: null, createdAt: NOON };
}

/** Creates a workspace with a mailbox. */
export async function aPlace(
  store: Store,
  over: Partial<Mailbox> = {},
): Promise<{ workspace: Workspace; mailbox: Mailbox }> {
  const workspace = aWorkspace();
  const mailbox = aMailbox(workspace.id, over);
  await store.transaction(async (tx) => {
    await tx.workspaces.insert(workspace);
    await tx.mailboxes.insert(mailbox, 1_000);
  });
  return { workspace, mailbox };
}

export function aMessage(
  given: Pick<Message, 'id' | 'workspaceId' | 'mailboxId' | 'raw' | 'facts'> & Partial<Message>,
): Message {
  return {
    receivedAt: NOON,
    sizeBytes: 1_000,
    attachmentCount: 0,
    from: 'a@x.test',
    to: 'b@y.test',
    cc: null,
    subject: 'hi',
    mailFrom: 'a@x.test',
    rcptTo: ['b@y.test'],
    ...UNMARKED,
    ...given,
  };
}

/** Stores a mail with these bytes and resolves when it is durable. */
export async function deliver(
  store: Store,
  mailbox: Mailbox,
  raw: Uint8Array = Buffer.from('Subject: hi\r\n\r\nbody\r\n'),
  receivedAt = NOON,
): Promise<Message> {
  const rawRef = await store.blobs.put(raw);
  return deliverBlob(store, mailbox, rawRef, raw.length, receivedAt);
}

export async function deliverBlob(
  store: Store,
  mailbox: Mailbox,
  raw: BlobRef,
  sizeBytes: number,
  receivedAt = NOON,
): Promise<Message> {
  const facts = await store.blobs.put(Buffer.from('{"source":"smtp"}'));
  return store.transaction(async (tx) => {
    const { workspaceId, id: mailboxId } = mailbox;
    const id = ulidAt<MessageId>(receivedAt);
    const message = aMessage({ id, workspaceId, mailboxId, receivedAt, sizeBytes, raw, facts });
    await tx.messages.insert(message);
    return message;
  });
}
