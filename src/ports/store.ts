import type { ApiKey } from '../domain/api-key.ts';
import type { Authenticator } from '../domain/authenticator.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import type { EventType, FeedItem, RecordedEvent } from '../domain/event.ts';
import type { Group } from '../domain/group.ts';
import type { IdempotencyRecord } from '../domain/idempotency.ts';
import type { Identity } from '../domain/identity.ts';
import type {
  AuthenticatorId,
  CapturedRequestId,
  EventId,
  GroupId,
  IdentityId,
  KeyId,
  MailboxId,
  MessageId,
  SendId,
  SuppressionId,
  WebhookId,
  WorkspaceId,
} from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { BlobRef, Message } from '../domain/message.ts';
import type { Send } from '../domain/send.ts';
import type { SuppressionEntry } from '../domain/suppression.ts';
import type { ScriptedResponse, Webhook } from '../domain/webhook.ts';
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

/** A step of a walk over messages, newest first: of a mailbox, of a workspace, or of all where neither is named. */
export interface WalkQuery {
  readonly mailboxId?: MailboxId | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
  /** Where the last step ended; it need not exist. */
  readonly before?: MessageId | undefined;
  /** Rows looked at, at most, whosever they are: what a step costs. */
  readonly rows: number;
  /** Which of them are told. It must not keep what it is shown, which may change once it has answered. */
  readonly wanted: (row: Message) => boolean;
  readonly now: number;
}

export interface WalkStep {
  /** Those asked for, without what is past its retention. There may be none before the end. */
  readonly messages: readonly Message[];
  /** Where the next step begins; null at the end. */
  readonly next: MessageId | null;
}

/** A page of an interceptor's captured requests, newest first. */
export interface RequestPageQuery {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly now: number;
}

export interface SendQuery {
  readonly workspaceId?: WorkspaceId | undefined;
  readonly mailboxId?: MailboxId | undefined;
  /** Only older ones. */
  readonly before?: SendId | undefined;
  readonly limit: number;
}

/** What of the feed is asked for; an absent filter lets everything pass. */
export interface FeedQuery {
  /** Only what came after it; it need not exist any more. Null is from the beginning. */
  readonly after: EventId | null;
  readonly types?: ReadonlySet<EventType> | undefined;
  /** Only what concerns this mailbox. */
  readonly mailboxId?: MailboxId | undefined;
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
    /** Emails sent on the UTC day of `now`. */
    outboundUsed(id: WorkspaceId, now: number): Promise<number>;
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
    /** The mailbox that claims a recipient's address, by the most specific claim there is. */
    byAddress(recipient: string): Promise<Mailbox | null>;
    /** The addresses and `*@domain` patterns that a mailbox claims, in the order they were given. */
    addresses(id: MailboxId): Promise<readonly string[]>;
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
    walk(query: WalkQuery): Promise<WalkStep>;
    /** Messages newer than a position, oldest first. */
    after(mailboxId: MailboxId, after: MessageId | null, limit: number, now: number): Promise<Message[]>;
    /** The newest id ever given out in the mailbox, null when it never held a message. */
    lastId(mailboxId: MailboxId): Promise<MessageId | null>;
    /** Counted, not scanned; may for a moment include what has expired and is not yet swept. */
    count(mailboxId: MailboxId): Promise<number>;
    /** As `count`, without what has expired: costs as much as there is of that. */
    countUnexpired(mailboxId: MailboxId, now: number): Promise<number>;
  };
  readonly identities: {
    get(id: IdentityId): Promise<Identity | null>;
    /** Oldest first. */
    list(workspaceId: WorkspaceId): Promise<Identity[]>;
  };
  readonly suppression: {
    get(id: SuppressionId): Promise<SuppressionEntry | null>;
    byRecipient(workspaceId: WorkspaceId, recipient: string): Promise<SuppressionEntry | null>;
    /** Oldest first. */
    list(workspaceId: WorkspaceId): Promise<SuppressionEntry[]>;
  };
  readonly sends: {
    get(id: SendId): Promise<Send | null>;
    /** Newest first. */
    list(query: SendQuery): Promise<Send[]>;
    /** Those with a recipient still queued, oldest first, after a position. */
    pending(after: SendId | null, limit: number): Promise<Send[]>;
  };
  readonly webhooks: {
    get(id: WebhookId): Promise<Webhook | null>;
    /** By capture key. */
    byKey(key: string): Promise<Webhook | null>;
    /** Oldest first. */
    list(workspaceId: WorkspaceId): Promise<Webhook[]>;
    /** When the last request came; outlives the request. */
    lastRequestAt(id: WebhookId): Promise<number | null>;
    /** The scripted answers not used yet, in order. */
    responses(id: WebhookId): Promise<readonly ScriptedResponse[]>;
  };
  readonly requests: {
    /** Null once it is past its retention at `now`. */
    get(id: CapturedRequestId, now: number): Promise<CapturedRequest | null>;
    page(webhookId: WebhookId, query: RequestPageQuery): Promise<CapturedRequest[]>;
    /** Those within their retention at `now`. */
    count(webhookId: WebhookId, now: number): Promise<number>;
    /** Those whose forwarding is pending, oldest first, after a position. */
    pending(after: CapturedRequestId | null, limit: number): Promise<CapturedRequest[]>;
  };
  readonly events: {
    /** Oldest first: what was recorded, and messages and requests that came and are still there. */
    after(query: FeedQuery): Promise<FeedItem[]>;
    /** The newest id the feed ever told, null when it told nothing. */
    lastId(): Promise<EventId | null>;
  };
  readonly idempotency: {
    get(id: string): Promise<IdempotencyRecord | null>;
  };
  readonly settings: {
    /** Seconds added to the system's clock, docs/contract.md#clock. */
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

// A row's bytes may move while somebody holds the row: what is written back names the fields that change and no others.

/** What of a send changes; `raw` can only be given up. */
export type SendUpdate = Partial<Pick<Send, 'recipients' | 'state' | 'updatedAt'> & { readonly raw: null }>;

/** What of a captured request changes. */
export type RequestUpdate = Partial<
  Pick<
    CapturedRequest,
    | 'responseStatus'
    | 'forwardStatus'
    | 'forwardAttempts'
    | 'forwardedAt'
    | 'forwardHttpStatus'
    | 'forwardError'
    | 'forwardResponse'
    | 'nextForwardAt'
  >
>;

/**
 * One transaction: it sees what every earlier one wrote, and its own writes. Uniqueness and quotas are decided here.
 * A body must not wait for anything but the transaction: others queue behind it.
 */
export interface Tx extends Reader {
  readonly workspaces: Reader['workspaces'] & {
    insert(workspace: Workspace): Promise<void>;
    update(workspace: Workspace): Promise<void>;
    /** With all it owns. What of the feed told of it stays. */
    remove(id: WorkspaceId): Promise<void>;
    /** Counts so many emails as sent on the UTC day of `now`. */
    countOutbound(id: WorkspaceId, now: number, emails: number): Promise<void>;
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
    /** In place of those it claimed. Throws `address_taken` with `address` and `mailboxId` where another mailbox claims one of them. */
    setAddresses(id: MailboxId, addresses: readonly string[]): Promise<void>;
    /** With its messages. */
    remove(id: MailboxId): Promise<void>;
  };
  readonly messages: Reader['messages'] & {
    /** Counts it against the day of `receivedAt` and the workspace's storage. Its id must be the mailbox's newest. */
    insert(message: Message): Promise<void>;
    /** As `insert`, but counted against the storage alone: it did not come from outside. */
    insertOwn(message: Message): Promise<void>;
    /** False where there is none. */
    remove(id: MessageId): Promise<boolean>;
    /** Every message of a mailbox; how many there were. */
    removeAll(mailboxId: MailboxId): Promise<number>;
    /** Up to `limit` messages past their retention; which they were. Their bytes are the first to leave the disk. */
    removeExpired(mailboxId: MailboxId, now: number, limit: number): Promise<MessageId[]>;
  };
  readonly identities: Reader['identities'] & {
    insert(identity: Identity): Promise<void>;
    remove(id: IdentityId): Promise<void>;
  };
  readonly suppression: Reader['suppression'] & {
    /** False where the recipient is on the list already: the entry that is there stays. */
    insert(entry: SuppressionEntry): Promise<boolean>;
    remove(id: SuppressionId): Promise<void>;
  };
  readonly sends: Reader['sends'] & {
    insert(send: Send): Promise<void>;
    /** Changes these fields of the row as it is now; the row then, null where it is gone. */
    update(id: SendId, fields: SendUpdate): Promise<Send | null>;
    /** Up to `limit` with nothing pending that were made before `cutoff`; how many there were. */
    removeSettled(cutoff: number, limit: number): Promise<number>;
  };
  readonly webhooks: Reader['webhooks'] & {
    /** Throws `hook_limit_reached` with `limit`. */
    insert(webhook: Webhook, max: number): Promise<void>;
    update(webhook: Webhook): Promise<void>;
    /** With its captured requests and scripted answers. */
    remove(id: WebhookId): Promise<void>;
    setResponses(id: WebhookId, responses: readonly ScriptedResponse[]): Promise<void>;
    /** The next scripted answer, which is used up by it; null where there is none. */
    takeResponse(id: WebhookId): Promise<ScriptedResponse | null>;
  };
  readonly requests: Reader['requests'] & {
    /** Its id must be the feed's newest. */
    insert(request: CapturedRequest): Promise<void>;
    /** Changes these fields of the row as it is now; the row then, null where it is gone. */
    update(id: CapturedRequestId, fields: RequestUpdate): Promise<CapturedRequest | null>;
    /** Every captured request of an interceptor; how many there were. */
    removeAll(webhookId: WebhookId): Promise<number>;
    /** Up to `limit` past their retention; how many there were. Their bytes are the first to leave the disk. */
    removeExpired(webhookId: WebhookId, now: number, limit: number): Promise<number>;
  };
  readonly events: Reader['events'] & {
    /** Its id must be the feed's newest. */
    insert(event: RecordedEvent): Promise<void>;
    /** Removes up to `limit` of the oldest recorded ones, as long as more than `keep` are left; how many went. */
    trim(keep: number, limit: number): Promise<number>;
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
  /** Resolves when more may be written: memory does not grow with the blob. Throws `disk_full` and `storage_unavailable`. */
  write(chunk: Uint8Array): Promise<void>;
  /** The blob is durable once a transaction that refers to it is. */
  finish(): Promise<BlobRef>;
  /** Gives the bytes up. */
  abort(): void;
}

export interface Blobs {
  /** For bytes whose number is not known yet. */
  writer(): BlobWriter;
  /** For a small one, all in hand: it travels with the next transaction. Throws `disk_full` and `storage_unavailable`. */
  put(part: Uint8Array): Promise<BlobRef>;
  /** Gives up what was put or written and no transaction refers to. */
  discard(refs: readonly BlobRef[]): void;
  /** Exact bytes. Throws where the blob is no longer there. */
  read(ref: BlobRef): Promise<Buffer>;
  /** Exact bytes, piece by piece. */
  stream(ref: BlobRef): AsyncIterable<Buffer>;
}

/** What a committed transaction touched: a reason to look, nothing to trust the content of. */
export interface Commit {
  /** Mailboxes that messages came to, that an event tells of, or that are gone. */
  readonly mailboxIds: ReadonlySet<MailboxId>;
  /** Keys that were revoked, or are gone. */
  readonly keyIds: ReadonlySet<KeyId>;
  /** The feed has something new to tell. */
  readonly feed: boolean;
  /** A send was accepted or changed. */
  readonly sends: boolean;
  /** Interceptors that a request was captured by, or one of whose changed, or that are gone. */
  readonly webhookIds: ReadonlySet<WebhookId>;
}

/** The states of a store: it takes everything, or says why not. */
export const STORE_HEALTHS = [
  /** It takes everything. */
  'ok',
  /** It takes removals only, until there is room. */
  'disk_full',
  /** The directory is gone, or another stands in its place: nothing is written any more. */
  'storage_lost',
  /** A write or a sync failed, and what is on the disk is not known yet. */
  'storage_unavailable',
] as const;
export type StoreHealth = (typeof STORE_HEALTHS)[number];

/** Everything kept. Every method that depends on time takes it. */
export interface Store {
  readonly read: Reader;
  readonly blobs: Blobs;
  /** The state of the store now. */
  readonly health: StoreHealth;
  /**
   * Runs `body` alone, then settles once what it wrote is as durable as the store promises, and visible.
   * A throw in `body` writes nothing. Where the medium refuses nothing was written either: throws `disk_full` where that is why,
   * else `storage_unavailable`.
   */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /** Called after each commit, also of other servers on the same store. */
  onCommit(listener: (commit: Commit) => void): () => void;
  /** Gives back the space of what was removed. */
  reclaim(): Promise<void>;
  /** Finishes what is under way; every later call throws. */
  close(): Promise<void>;
}
