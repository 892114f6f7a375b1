import type { ApiKey } from '../domain/api-key.ts';
import type { Authenticator } from '../domain/authenticator.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import type { FeedItem, RecordedEvent } from '../domain/event.ts';
import type { IdempotencyRecord } from '../domain/idempotency.ts';
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
  TestId,
  TestRunId,
  WebhookId,
  WorkspaceId,
} from '../domain/ids.ts';
import type { Mailbox, MailboxGroup } from '../domain/mailbox.ts';
import type { Marks, WorkspaceTags } from '../domain/marks.ts';
import type { BlobRef, Message, MessageKind } from '../domain/message.ts';
import type { Identity, SuppressionEntry } from '../domain/outbound.ts';
import type { ProviderRecord } from '../domain/provider.ts';
import type { SearchDocument } from '../domain/search/document.ts';
import type { SearchQuery } from '../domain/search/query.ts';
import type { Send } from '../domain/send.ts';
import type { TestAttempt, TestRun } from '../domain/test-run.ts';
import type { Moment } from '../domain/time.ts';
import type { ScriptedResponse, Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { FeedFilter } from './events.ts';

/** Reads durable data. It never shows the writes of a transaction that is not durable yet. */
export interface Reader {
  readonly workspaces: {
    get(id: WorkspaceId): Promise<Workspace | null>;
    /** Lists them, the oldest first. */
    list(): Promise<Workspace[]>;
    /** Returns the number of stored bytes of mail, which count against the plan. */
    storedBytes(id: WorkspaceId): Promise<number>;
    /** Returns the number of emails sent on the UTC day of `now`. */
    outboundUsed(id: WorkspaceId, now: number): Promise<number>;
  };
  readonly keys: {
    get(id: KeyId): Promise<ApiKey | null>;
    /** Finds a key by its SHA-256 in hex, even if it is revoked. */
    byHash(hash: string): Promise<ApiKey | null>;
    list(workspaceId: WorkspaceId): Promise<ApiKey[]>;
  };
  readonly groups: {
    get(id: GroupId): Promise<MailboxGroup | null>;
    list(workspaceId: WorkspaceId): Promise<MailboxGroup[]>;
  };
  readonly authenticators: {
    get(id: AuthenticatorId): Promise<Authenticator | null>;
    /** Lists them, the oldest first. */
    list(workspaceId: WorkspaceId): Promise<Authenticator[]>;
  };
  readonly mailboxes: {
    get(id: MailboxId): Promise<Mailbox | null>;
    /** Finds a mailbox by its subdomain, which is unique over all workspaces. */
    bySubdomain(subdomain: string): Promise<Mailbox | null>;
    /** Finds the mailbox with the most specific claim on a recipient's address. */
    byAddress(recipient: string): Promise<Mailbox | null>;
    /** Returns the addresses and `*@domain` patterns that a mailbox claims, in their given order. */
    addresses(id: MailboxId): Promise<readonly string[]>;
    /** Lists them, the oldest first. */
    list(workspaceId: WorkspaceId): Promise<Mailbox[]>;
    /** Returns the inbox mailbox, which takes mail that no other mailbox takes. */
    inbox(): Promise<Mailbox | null>;
    /** Returns the number of messages received on the UTC day of `now`. */
    inboundUsed(id: MailboxId, now: number): Promise<number>;
  };
  readonly messages: {
    /** Returns a row, or null if it is past its retention at `now`, by the time of its workspace. */
    get(id: MessageId, now: Moment): Promise<Message | null>;
    /**
     * Returns a row for each id, in their order, as `get` does. `wanted` gets each of these rows with its index, and
     * must not keep it. A row that it refuses is null.
     */
    many(
      ids: readonly MessageId[],
      now: Moment,
      wanted?: (row: Message, index: number) => boolean,
    ): Promise<(Message | null)[]>;
    /** Returns for each id where the bytes of its mail are, or null as `many` does. It reads nothing else of the rows. */
    raws(ids: readonly MessageId[], now: Moment): Promise<(BlobRef | null)[]>;
    page(mailboxId: MailboxId, query: PageQuery): Promise<Message[]>;
    walk(query: WalkQuery): Promise<WalkStep>;
    /** Lists the emails of a mailbox in few bytes each, without a look at text messages, one step at a time: the newest step first. */
    packed(query: PackedQuery): Promise<PackedMessages>;
    /** Returns messages newer than a position, the oldest first. */
    after(mailboxId: MailboxId, after: MessageId | null, limit: number, now: Moment): Promise<Message[]>;
    /** Returns the newest id that the mailbox ever held. Null if it never held a message. */
    lastId(mailboxId: MailboxId): Promise<MessageId | null>;
    /**
     * Returns the number of messages. While the clocks stand at real time it comes from a counter, and may include
     * expired messages until the next sweep.
     */
    count(mailboxId: MailboxId, now: Moment): Promise<number>;
    /** Like `count`, but without any expired messages. Its cost grows with their number. */
    countUnexpired(mailboxId: MailboxId, now: Moment): Promise<number>;
    /** Like `countUnexpired`, but of messages that nobody has read. */
    countUnread(mailboxId: MailboxId, now: Moment): Promise<number>;
    /**
     * Returns the tags of a workspace from counters. While the clocks stand at real time, they may include tags of
     * expired messages until the next sweep.
     */
    tags(workspaceId: WorkspaceId, now: Moment): Promise<WorkspaceTags>;
  };
  readonly identities: {
    get(id: IdentityId): Promise<Identity | null>;
    /** Lists them, the oldest first. */
    list(workspaceId: WorkspaceId): Promise<Identity[]>;
  };
  readonly suppression: {
    get(id: SuppressionId): Promise<SuppressionEntry | null>;
    byRecipient(workspaceId: WorkspaceId, recipient: string): Promise<SuppressionEntry | null>;
    /** Lists them, the oldest first. */
    list(workspaceId: WorkspaceId): Promise<SuppressionEntry[]>;
  };
  readonly sends: {
    get(id: SendId): Promise<Send | null>;
    /** Lists the sends, the newest first. */
    list(query: SendQuery): Promise<Send[]>;
    /** Returns the sends after a position that have a queued recipient, the oldest first. */
    pending(after: SendId | null, limit: number): Promise<Send[]>;
  };
  /** The runs of test runners. They belong to no workspace. */
  readonly runs: {
    get(id: TestRunId): Promise<TestRun | null>;
    /** Lists them, the one that was reported last first. */
    list(): Promise<TestRun[]>;
    test(id: TestId): Promise<TestAttempt | null>;
    /** Lists the attempts of a run, in the order of their ids. */
    tests(id: TestRunId): Promise<TestAttempt[]>;
    /** Lists the attempts at a test by its key (`testKeyOf`), in the order of their ids. */
    attempts(key: string): Promise<TestAttempt[]>;
    /** Finds the oldest test of a run whose attempts `isWanted` accepts, and returns those. */
    oldestTest(
      id: TestRunId,
      isWanted: (attempts: readonly TestAttempt[]) => boolean,
    ): Promise<readonly TestAttempt[] | null>;
  };
  readonly webhooks: {
    get(id: WebhookId): Promise<Webhook | null>;
    /** Finds a webhook by its key. */
    byKey(key: string): Promise<Webhook | null>;
    /** Lists them, the oldest first. */
    list(workspaceId: WorkspaceId): Promise<Webhook[]>;
    /** Returns the time of the last request, even a deleted one, in milliseconds since 1970. Null if none. */
    lastRequestAt(id: WebhookId): Promise<number | null>;
    /** Returns the scripted responses that are not used yet, in order. */
    responses(id: WebhookId): Promise<readonly ScriptedResponse[]>;
  };
  readonly requests: {
    /** Returns a row, or null if it is past its retention at `now`, by the time of its workspace. */
    get(id: CapturedRequestId, now: Moment): Promise<CapturedRequest | null>;
    page(webhookId: WebhookId, query: RequestPageQuery): Promise<CapturedRequest[]>;
    /** Returns the number of requests within their retention at `now`. */
    count(webhookId: WebhookId, now: Moment): Promise<number>;
    /** Returns the bytes that the requests of a webhook count against its quota, from a counter. */
    heldBytes(webhookId: WebhookId): Promise<number>;
    /** Returns the requests of a webhook that ever went because of a quota. Null if none did. */
    trimmed(webhookId: WebhookId): Promise<TrimmedRequests | null>;
    /** Returns the webhook whose requests count the most bytes. Null if there are no requests. */
    largestHolder(): Promise<WebhookId | null>;
    /** Returns the requests after a position whose forwarding is pending, the oldest first. */
    pending(after: CapturedRequestId | null, limit: number): Promise<CapturedRequest[]>;
  };
  readonly events: {
    /** Returns events: recorded ones, and the arrival of messages and requests that still exist. */
    list(query: FeedQuery): Promise<FeedItem[]>;
    /** Returns the newest id that the feed ever had. Null if it had none. */
    lastId(): Promise<EventId | null>;
  };
  readonly idempotency: {
    get(id: string): Promise<IdempotencyRecord | null>;
  };
  readonly providerRecords: {
    get(id: string): Promise<ProviderRecord | null>;
    /** Lists records of a collection. */
    list(collection: string, query: RecordQuery): Promise<ProviderRecord[]>;
    /** Returns all records that have to be acted on now or later. */
    due(): Promise<ProviderRecord[]>;
  };
  readonly settings: {
    /** Returns the clock offset in milliseconds (docs/clock.md). */
    clockOffsetMs(): Promise<number>;
  };
  /** Returns the counts for `info`. */
  counts(): Promise<Counts>;
}

/** A page of records: the greatest ids first, or with `after` the smallest ids above it first. */
export interface RecordQuery {
  /** Leaves out ids from this one on. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The captured requests that a quota removed. */
export interface TrimmedRequests {
  readonly count: number;
  /** The newest one. */
  readonly upTo: CapturedRequestId;
}

export interface Counts {
  readonly workspaces: number;
  readonly mailboxes: number;
  readonly messages: number;
  readonly storedBytes: number;
  /** The bytes that all captured requests count against the quota of the server. */
  readonly capturedBytes: number;
}

// The store may move a row's blobs at any time. An update therefore names only the fields that change.

/** The fields of a send that may change. `raw` can only become null. */
type SendUpdate = Partial<Pick<Send, 'recipients' | 'state' | 'updatedAt'> & { readonly raw: null }>;

/** The fields of a captured request that may change. */
type RequestUpdate = Partial<
  Pick<
    CapturedRequest,
    | 'responseStatus'
    | 'forwardStatus'
    | 'forwardAttempts'
    | 'forwardedAt'
    | 'forwardHttpStatus'
    | 'forwardError'
    | 'forwardResponse'
    | 'forwardResponseBytes'
    | 'nextForwardAt'
  >
>;

/**
 * A transaction. It sees all earlier transactions and its own writes, and it checks uniqueness and quotas. Its body
 * must wait for nothing but the transaction itself, because others queue behind it.
 */
export interface Tx extends Reader {
  readonly workspaces: Reader['workspaces'] & {
    insert(workspace: Workspace): Promise<void>;
    update(workspace: Workspace): Promise<void>;
    /** Removes a workspace with everything in it. Its recorded events stay in the feed. */
    remove(id: WorkspaceId): Promise<void>;
    /** Adds `emails` to the number of emails sent on the UTC day of `now`. */
    countOutbound(id: WorkspaceId, now: number, emails: number): Promise<void>;
  };
  readonly keys: Reader['keys'] & {
    /** Inserts a key. Throws `plan_max_keys_reached` with `limit` if that many keys are active. */
    insert(key: ApiKey, maxActive: number): Promise<void>;
    update(key: ApiKey): Promise<void>;
  };
  readonly groups: Reader['groups'] & {
    insert(group: MailboxGroup): Promise<void>;
    /** Removes a group. Its mailboxes stay without a group. */
    remove(id: GroupId): Promise<void>;
  };
  readonly authenticators: Reader['authenticators'] & {
    insert(authenticator: Authenticator): Promise<void>;
    remove(id: AuthenticatorId): Promise<void>;
  };
  readonly mailboxes: Reader['mailboxes'] & {
    /** Inserts a mailbox. Throws `subdomain_taken`, or else `plan_max_mailboxes_reached` with `limit`. */
    insert(mailbox: Mailbox, max: number): Promise<void>;
    update(mailbox: Mailbox): Promise<void>;
    /** Replaces the claims. Throws `address_taken` with `address` and `mailboxId` if another mailbox has a claim. */
    setAddresses(id: MailboxId, addresses: readonly string[]): Promise<void>;
    /** Removes a mailbox with its messages. */
    remove(id: MailboxId): Promise<void>;
  };
  readonly messages: Reader['messages'] & {
    /** Inserts the mailbox's newest message. It counts against the day of `receivedAt` and the storage. */
    insert(message: Message): Promise<void>;
    /** Like `insert`, but it counts only against the storage, because the message did not come from outside. */
    insertOwn(message: Message): Promise<void>;
    /**
     * Changes the marks of messages to what `marksOf` returns; null leaves a message as it is. Returns the messages that
     * changed, with their new marks. It leaves out ids without a message, and messages past their retention at `now`.
     */
    mark(ids: readonly MessageId[], now: Moment, marksOf: (message: Message) => Marks | null): Promise<Message[]>;
    /** Removes a message. Returns false if there is none. */
    remove(id: MessageId): Promise<boolean>;
    /** Removes every message of a mailbox and returns their number. */
    removeAll(mailboxId: MailboxId): Promise<number>;
    /**
     * Removes up to `limit` messages that are past their retention both in real time and in the time of their workspace,
     * and returns their ids. Their bytes leave the disk first.
     */
    removeExpired(mailboxId: MailboxId, now: Moment, limit: number): Promise<MessageId[]>;
  };
  readonly identities: Reader['identities'] & {
    insert(identity: Identity): Promise<void>;
    remove(id: IdentityId): Promise<void>;
  };
  readonly suppression: Reader['suppression'] & {
    /** Inserts an entry. Returns false and keeps the old entry if the recipient is already listed. */
    insert(entry: SuppressionEntry): Promise<boolean>;
    remove(id: SuppressionId): Promise<void>;
  };
  readonly sends: Reader['sends'] & {
    insert(send: Send): Promise<void>;
    /** Changes these fields of the current row. Returns the new row, or null if it no longer exists. */
    update(id: SendId, fields: SendUpdate): Promise<Send | null>;
    /** Removes up to `limit` finished sends that were created before `cutoff` in real time. Returns their number. */
    removeSettled(cutoff: number, limit: number): Promise<number>;
  };
  readonly runs: Reader['runs'] & {
    put(run: TestRun): Promise<void>;
    /** Removes a run with its attempts. */
    remove(id: TestRunId): Promise<void>;
    putTest(test: TestAttempt): Promise<void>;
    removeTest(id: TestId): Promise<void>;
  };
  readonly webhooks: Reader['webhooks'] & {
    /** Inserts a webhook. Throws `hook_limit_reached` with `limit`. */
    insert(webhook: Webhook, max: number): Promise<void>;
    update(webhook: Webhook): Promise<void>;
    /** Removes a webhook with its captured requests and scripted responses. */
    remove(id: WebhookId): Promise<void>;
    setResponses(id: WebhookId, responses: readonly ScriptedResponse[]): Promise<void>;
    /** Takes the next scripted response off the list. Returns null if there is none. */
    takeResponse(id: WebhookId): Promise<ScriptedResponse | null>;
  };
  readonly requests: Reader['requests'] & {
    /** Inserts a row. Its id must be the newest of the feed. */
    insert(request: CapturedRequest): Promise<void>;
    /** Changes these fields of the current row. Returns the new row, or null if it no longer exists. */
    update(id: CapturedRequestId, fields: RequestUpdate): Promise<CapturedRequest | null>;
    /** Removes every captured request of a webhook and returns their number. */
    removeAll(webhookId: WebhookId): Promise<number>;
    /** Removes up to `limit` requests that are expired in both times, and returns their number, as for messages. */
    removeExpired(webhookId: WebhookId, now: Moment, limit: number): Promise<number>;
    /**
     * Removes the oldest requests of a webhook until `bytes` are free, or `limit` of them are gone, and counts them
     * as trimmed. Returns those that it removed, or null if there are none.
     */
    trim(webhookId: WebhookId, bytes: number, limit: number): Promise<TrimmedRequests | null>;
  };
  readonly events: Reader['events'] & {
    /** Inserts a row. Its id must be the newest of the feed. */
    insert(event: RecordedEvent): Promise<void>;
    /** Removes up to `limit` of the oldest events while more than `keep` remain. Returns their number. */
    trim(keep: number, limit: number): Promise<number>;
  };
  readonly idempotency: Reader['idempotency'] & {
    /** Stores a record. It replaces an expired one with the same id. */
    put(record: IdempotencyRecord): Promise<void>;
    /** Removes up to `limit` records that were stored a replay window before `realNow`. Returns their number. */
    removeExpired(realNow: number, limit: number): Promise<number>;
  };
  readonly providerRecords: Reader['providerRecords'] & {
    /** Inserts a record, or replaces the one with its id. */
    put(record: ProviderRecord): Promise<void>;
    remove(id: string): Promise<void>;
    /**
     * Removes the smallest ids of a collection while more than `keep` remain. Records that have to be acted on stay, unless
     * `evenDue` says otherwise.
     */
    trim(collection: string, keep: number, evenDue: boolean): Promise<void>;
  };
  readonly settings: Reader['settings'] & {
    setClockOffsetMs(offsetMs: number): Promise<void>;
  };
}

/** Writes a blob. Without a call of `finish` or `abort`, the written bytes leak until the store is next opened. */
export interface BlobWriter {
  /**
   * Writes a chunk. It resolves when the next chunk may follow, so memory stays bounded. Throws `disk_full` and
   * `storage_unavailable`.
   */
  write(chunk: Uint8Array): Promise<void>;
  /** Completes the blob. It becomes durable with the transaction that refers to it. Throws like `write`. */
  finish(): Promise<BlobRef>;
  /** Discards the bytes. */
  abort(): void;
}

export interface Blobs {
  /** Opens a writer for bytes of unknown length. */
  writer(): BlobWriter;
  /** Stores a small blob. It is written with the next transaction. Throws `disk_full` and `storage_unavailable`. */
  put(part: Uint8Array): Promise<BlobRef>;
  /** Discards blobs to which no transaction refers. */
  discard(refs: readonly BlobRef[]): void;
  /** Reads the exact bytes. Throws if the blob no longer exists. */
  read(ref: BlobRef): Promise<Buffer>;
  /**
   * Reads small blobs in as few reads of the storage as it can. A blob that it can't read so is null: {@link read} reads
   * it, or tells why not. With `enough`, it may leave out what follows so many bytes
   * of each, or what follows the first byte behind an empty line.
   */
  readSmall(refs: readonly BlobRef[], enough?: number): Promise<(Buffer | null)[]>;
  /** Streams the exact bytes. */
  stream(ref: BlobRef): AsyncIterable<Buffer>;
}

/** The rows that a committed transaction touched. It is a hint to read again, not the data itself. */
export interface Commit {
  /** The mailboxes that received messages, were named in an event, or were removed. */
  readonly mailboxIds: ReadonlySet<MailboxId>;
  /** The keys that were revoked or removed. */
  readonly keyIds: ReadonlySet<KeyId>;
  /** Tells whether the feed has new events. */
  readonly feed: boolean;
  /** Tells whether the clock of a workspace or of the server was set. */
  readonly clocks: boolean;
  /** Tells whether a send was accepted or changed. */
  readonly sends: boolean;
  /** Tells whether a record of a provider is to be acted on now or later. */
  readonly due: boolean;
  /** The webhooks that captured a request, whose request changed, or that were removed. */
  readonly webhookIds: ReadonlySet<WebhookId>;
  /** Tells that any row may have changed, so that every listener must read again. The sets are then empty. */
  readonly all: boolean;
}

/**
 * The prepared texts of messages, which searches read instead of mails (docs/search.md). They are never the truth: a text
 * that is missing or damaged is made again from the mail.
 */
export interface MessageTexts {
  /** Lists messages without a prepared text, the oldest first. */
  missing(limit: number): Promise<readonly Message[]>;
  /** Keeps prepared texts. It leaves out messages that are gone. */
  add(texts: readonly PreparedText[]): Promise<void>;
  /**
   * Finds prepared messages that meet every condition for which `isDocumentTerm` holds, newest first, one stretch at a
   * time. The stretches together cover every message older than `before`. Other conditions count as met.
   */
  find(query: SearchQuery, where: TextScope): AsyncIterable<TextStretch>;
  /** Returns the number of messages with and without a prepared text. */
  progress(): Promise<TextProgress>;
}

export interface TextProgress {
  readonly prepared: number;
  readonly missing: number;
}

export interface PreparedText {
  readonly id: MessageId;
  /** Null if searches have to read the mail itself. */
  readonly document: SearchDocument | null;
}

/** The messages to search. Without mailbox and workspace these are all. */
export interface TextScope {
  readonly mailboxId?: MailboxId | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
  /** Finds messages older than this position. The message need not exist. */
  readonly before?: MessageId | undefined;
  /** The number of hits after which the caller may stop. The store then looks no further before it tells them. */
  readonly enough?: number | undefined;
}

export interface TextStretch {
  /** The stretch covers the messages below the stretch before it, down to this id and including it. Null: all of them. */
  readonly downTo: MessageId | null;
  /**
   * The messages found, the newest first. Some may have been deleted meanwhile. Null: nothing of this stretch is
   * prepared, so its mails have to be read.
   */
  readonly found: readonly TextHit[] | null;
}

export interface TextHit {
  readonly id: MessageId;
  /** False if the text did not decide, so that the mail has to be read. */
  readonly isSure: boolean;
}

/** The states of the storage under a store. */
export const STORE_HEALTHS = [
  /** It accepts all transactions. */
  'ok',
  /** It accepts only removals until the disk has room again. */
  'disk_full',
  /** The directory is missing or was replaced. The store never writes again. */
  'storage_lost',
  /** A write or sync failed and the disk's content is not known yet, or the database or bucket does not answer. */
  'storage_unavailable',
] as const;
export type StoreHealth = (typeof STORE_HEALTHS)[number];

/** The store of all data. Every method that depends on time takes the time as an argument. */
export interface Store {
  /** Each call reads the data that was committed before it. */
  readonly read: Reader;
  /** Returns a reader of the data committed before this call. With a database, each read then saves a query. */
  readNow(): Promise<Reader>;
  readonly blobs: Blobs;
  readonly texts: MessageTexts;
  /** The current state of the store. */
  readonly health: StoreHealth;
  /**
   * Runs `body` exclusively. It settles once the writes are visible and as durable as the store promises. If `body`
   * throws, nothing is written. If the disk fails, nothing is written either, and it throws `disk_full` or
   * `storage_unavailable`. `body` may run twice, if another server commits in between. Only the writes and the result
   * of the last run count, so a run must have no effect outside of the transaction.
   */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /** Registers a listener for all commits, also of other servers. The returned function removes it. */
  onCommit(listener: (commit: Commit) => void): () => void;
  /** Frees the disk space of removed rows. */
  reclaim(): Promise<void>;
  /** Finishes the running work. Every later call throws. */
  close(): Promise<void>;
}

/** The query for a page of a mailbox, newest first. It leaves out messages past their retention at `now`. */
export interface PageQuery {
  /** Selects messages of this kind, without a look at others. */
  readonly kind?: MessageKind | undefined;
  /** Selects messages older than this position. The message need not exist. */
  readonly before?: MessageId | undefined;
  /** Selects messages received at or after this time, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly now: Moment;
}

/** The query for one step of a walk, newest first. Without mailbox and workspace it covers all messages. */
export interface WalkQuery {
  readonly mailboxId?: MailboxId | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
  /** With a mailbox: selects messages of this kind, without a look at others. */
  readonly kind?: MessageKind | undefined;
  /** The position at which the last step ended. The message need not exist. */
  readonly before?: MessageId | undefined;
  /** The number of rows to examine, which bounds the cost of the step. */
  readonly rows: number;
  /** Selects the rows to return. It must not keep the row, which may change after the call. */
  readonly wanted: (row: Message) => boolean;
  readonly now: Moment;
}

export interface WalkStep {
  /** The selected messages within their retention. It may be empty before the end. */
  readonly messages: readonly Message[];
  /** The position for the next step. Null at the end. */
  readonly next: MessageId | null;
}

/** The query for one step of a packed list. */
export type PackedQuery = Pick<WalkQuery, 'before' | 'rows' | 'now'> & { readonly mailboxId: MailboxId };

/** The bits of a packed mark. */
export const MESSAGE_MARK = { read: 1, starred: 2 } as const;

/** The messages of one step of a packed list, within their retention. Within the step, the oldest comes first. */
export interface PackedMessages {
  /** The ids in ASCII, one behind the other. */
  readonly ids: Uint8Array;
  /** The bits of {@link MESSAGE_MARK} of each message. */
  readonly marks: Uint8Array;
  /** The bytes of each mail. */
  readonly sizes: ArrayLike<number>;
  /** When each message was received, in milliseconds since 1970. */
  readonly times: ArrayLike<number>;
  /** The tags of the messages that have any. */
  readonly tags: ReadonlyMap<MessageId, readonly string[]>;
  /** The position for the next step, which may be empty. Null at the end. */
  readonly next: MessageId | null;
}

/** The query for a page of a webhook's captured requests, newest first. */
interface RequestPageQuery {
  /** The page number, from 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly now: Moment;
}

export interface SendQuery {
  readonly workspaceId?: WorkspaceId | undefined;
  readonly mailboxId?: MailboxId | undefined;
  /** Selects sends older than this position. */
  readonly before?: SendId | undefined;
  readonly limit: number;
}

/** The query for the feed. An absent filter admits every event. */
export interface FeedQuery extends FeedFilter {
  /** Selects events between these positions, which need not exist. Null starts at the first event. */
  readonly after: EventId | null;
  readonly before?: EventId | undefined;
  /** The newest first, and those if there are more than `limit`. Otherwise the oldest. */
  readonly newest?: boolean;
  readonly limit: number;
  readonly now: Moment;
}
