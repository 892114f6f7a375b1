import type { ApiKey } from '../domain/api-key.ts';
import type { Authenticator } from '../domain/authenticator.ts';
import type { Group } from '../domain/group.ts';
import type { IdempotencyRecord } from '../domain/idempotency.ts';
import type { AuthenticatorId, GroupId, KeyId, MailboxId, MessageId, WorkspaceId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { BlobRef, Message } from '../domain/message.ts';
import type { Workspace } from '../domain/workspace.ts';

/** A page of a mailbox, newest first. Messages past their retention at `now` are left out. */
export interface PageQuery {
  /** Only messages older than this position; it need not exist. */
  readonly before?: MessageId | undefined;
  /** Only messages received at or after it, milliseconds. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly now: number;
}

/** What is stored and durable. Nothing a transaction has not yet made durable is seen here. */
export interface Reader {
  readonly workspaces: {
    get(id: WorkspaceId): Promise<Workspace | null>;
    /** Oldest first. */
    list(): Promise<Workspace[]>;
    /** Bytes of mail kept, as counted against the plan. */
    storedBytes(id: WorkspaceId): Promise<number>;
  };
  readonly keys: {
    get(id: KeyId): Promise<ApiKey | null>;
    /** By SHA-256, revoked ones too. */
    byHash(hash: string): Promise<ApiKey | null>;
    list(workspaceId: WorkspaceId): Promise<ApiKey[]>;
  };
  readonly groups: {
    get(id: GroupId): Promise<Group | null>;
    list(workspaceId: WorkspaceId): Promise<Group[]>;
  };
  readonly authenticators: {
    get(id: AuthenticatorId): Promise<Authenticator | null>;
    /** Oldest first. */
    list(workspaceId: WorkspaceId): Promise<Authenticator[]>;
  };
  readonly mailboxes: {
    get(id: MailboxId): Promise<Mailbox | null>;
    /** Subdomains are unique over all workspaces. */
    bySubdomain(subdomain: string): Promise<Mailbox | null>;
    /** Oldest first. */
    list(workspaceId: WorkspaceId): Promise<Mailbox[]>;
    /** The mailbox that takes mail addressed to nobody's. */
    inbox(): Promise<Mailbox | null>;
    /** Messages received on the UTC day of `now`. */
    inboundUsed(id: MailboxId, now: number): Promise<number>;
  };
  readonly messages: {
    /** Null once it is past its retention at `now`. */
    get(id: MessageId, now: number): Promise<Message | null>;
    page(mailboxId: MailboxId, query: PageQuery): Promise<Message[]>;
    /** Messages newer than a position, oldest first. */
    after(mailboxId: MailboxId, after: MessageId | null, limit: number, now: number): Promise<Message[]>;
    /** The newest id ever given out in the mailbox, null when it never held a message. */
    lastId(mailboxId: MailboxId): Promise<MessageId | null>;
    /** Counted, not scanned; may for a moment include what has expired and is not yet swept. */
    count(mailboxId: MailboxId): Promise<number>;
  };
  readonly idempotency: {
    get(id: string): Promise<IdempotencyRecord | null>;
  };
  readonly settings: {
    /** Seconds added to the system's clock, contract 5 `clock`. */
    clockOffsetMs(): Promise<number>;
  };
  /** For `info`. */
  counts(): Promise<Counts>;
}

export interface Counts {
  readonly workspaces: number;
  readonly mailboxes: number;
  readonly messages: number;
  readonly storedBytes: number;
}

/**
 * One transaction: it sees what every earlier one wrote, and its own writes. Uniqueness and quotas are decided here.
 * A body must not wait for anything but the transaction: others queue behind it.
 */
export interface Tx extends Reader {
  readonly workspaces: Reader['workspaces'] & {
    insert(workspace: Workspace): Promise<void>;
    update(workspace: Workspace): Promise<void>;
    /** With its keys, groups, authenticators, mailboxes and their messages. */
    remove(id: WorkspaceId): Promise<void>;
  };
  readonly keys: Reader['keys'] & {
    /** Throws `plan_max_keys_reached` with `limit` where as many are active already. */
    insert(key: ApiKey, maxActive: number): Promise<void>;
    update(key: ApiKey): Promise<void>;
  };
  readonly groups: Reader['groups'] & {
    insert(group: Group): Promise<void>;
    /** Its mailboxes stay, in no group. */
    remove(id: GroupId): Promise<void>;
  };
  readonly authenticators: Reader['authenticators'] & {
    insert(authenticator: Authenticator): Promise<void>;
    remove(id: AuthenticatorId): Promise<void>;
  };
  readonly mailboxes: Reader['mailboxes'] & {
    /** Throws `subdomain_taken`, then `plan_max_mailboxes_reached` with `limit`. */
    insert(mailbox: Mailbox, max: number): Promise<void>;
    update(mailbox: Mailbox): Promise<void>;
    /** With its messages. */
    remove(id: MailboxId): Promise<void>;
  };
  readonly messages: Reader['messages'] & {
    /** Counts it against the day of `receivedAt` and the workspace's storage. Its id must be the mailbox's newest. */
    insert(message: Message): Promise<void>;
    /** False where there is none. */
    remove(id: MessageId): Promise<boolean>;
    /** Every message of a mailbox; how many there were. */
    removeAll(mailboxId: MailboxId): Promise<number>;
    /** Up to `limit` messages past their retention; how many there were. Their bytes are the first to leave the disk. */
    removeExpired(mailboxId: MailboxId, now: number, limit: number): Promise<number>;
  };
  readonly idempotency: Reader['idempotency'] & {
    /** Replaces an expired one of the same id. */
    put(record: IdempotencyRecord): Promise<void>;
    removeExpired(now: number, limit: number): Promise<number>;
  };
  readonly settings: Reader['settings'] & {
    setClockOffsetMs(offsetMs: number): Promise<void>;
  };
}

/** Bytes on their way in. Not calling `finish` or `abort` leaks what was written until the store is next opened. */
export interface BlobWriter {
  /** Resolves when more may be written: memory does not grow with the blob. Throws `storage_unavailable`. */
  write(chunk: Uint8Array): Promise<void>;
  /** The blob is durable once a transaction that refers to it is. */
  finish(): Promise<BlobRef>;
  /** Gives the bytes up. */
  abort(): void;
}

export interface Blobs {
  /** For bytes whose number is not known yet. */
  writer(): BlobWriter;
  /** For small ones, all in hand: they travel with the next transaction. */
  put(parts: readonly Uint8Array[]): Promise<BlobRef[]>;
  /** Gives up what was put or written and no transaction refers to. */
  discard(refs: readonly BlobRef[]): void;
  /** Exact bytes. Throws where the blob is no longer there. */
  read(ref: BlobRef): Promise<Buffer>;
  /** Exact bytes, piece by piece. */
  stream(ref: BlobRef): AsyncIterable<Buffer>;
}

/** What a committed transaction touched: a reason to look, nothing to trust the content of. */
export interface Commit {
  readonly mailboxIds: ReadonlySet<MailboxId>;
}

/** Everything kept. Every method that depends on time takes it. */
export interface Store {
  readonly read: Reader;
  readonly blobs: Blobs;
  /**
   * Runs `body` alone, then settles once what it wrote is as durable as the store promises, and visible.
   * A throw in `body` writes nothing. Throws `storage_unavailable` where the medium refuses; nothing was written then.
   */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /** Called after each commit, also of other servers on the same store. */
  onCommit(listener: (commit: Commit) => void): () => void;
  /** Gives back the space of what was removed. */
  reclaim(): Promise<void>;
  /** Finishes what is under way; every later call throws. */
  close(): Promise<void>;
}
