import type { ApiKey } from '../../domain/api-key.ts';
import type { Authenticator } from '../../domain/authenticator.ts';
import { type CapturedRequest, heldBytes } from '../../domain/captured-request.ts';
import type { RecordedEvent } from '../../domain/event.ts';
import type { IdempotencyRecord } from '../../domain/idempotency.ts';
import type { CapturedRequestId, MessageId } from '../../domain/ids.ts';
import type { Mailbox, MailboxGroup } from '../../domain/mailbox.ts';
import {
  type BlobRef,
  type Expiry,
  isExpired,
  type Message,
  type MessageKind,
  retentionCutoff,
} from '../../domain/message.ts';
import type { Identity, SuppressionEntry } from '../../domain/outbound.ts';
import type { ProviderRecord } from '../../domain/provider.ts';
import { claimKey } from '../../domain/routing.ts';
import { isPending, type Send } from '../../domain/send.ts';
import { type TestAttempt, type TestRun, testKeyOf } from '../../domain/test-run.ts';
import { type ClockStep, type Moment, timeOf } from '../../domain/time.ts';
import type { ScriptedResponse, Webhook } from '../../domain/webhook.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { TrimmedRequests } from '../../ports/store.ts';
import { GroupIndex, KeysIndex, OrderIndex, type SortedRows, SumIndex, Table, UniqueIndex } from './table.ts';
import type { SummedTags } from './tag-counts.ts';

/** How the rows of a mailbox or webhook lie in time. */
export interface ArrivalFacts {
  /** Absent while every row was received at the time in its id. */
  readonly steps?: readonly ClockStep[];
}

/** The day counts of a mailbox and its newest id. Both outlive its messages. */
interface Inbound extends ArrivalFacts {
  /** The id of the mailbox. */
  readonly id: string;
  /**
   * The counts of the last days with mail, by day. Old days are kept so that a clock that is set back continues with
   * the old count.
   */
  readonly used: Readonly<Record<string, number>>;
  readonly lastId: MessageId;
}

/** The number of emails a workspace sent, by day. */
export interface Outbound {
  /** The id of the workspace. */
  readonly id: string;
  readonly used: Readonly<Record<string, number>>;
}

/** The facts that outlive the requests of a webhook. */
export interface CaptureFacts extends ArrivalFacts {
  /** The id of the webhook. */
  readonly id: string;
  readonly lastRequestAt: number;
  readonly lastId: CapturedRequestId;
  /** The requests that went because of a quota. Absent if none did. */
  readonly trimmed?: TrimmedRequests;
  /**
   * The bytes that the requests count against the quota. Only a store whose requests are not in memory keeps the sum
   * here.
   */
  readonly bytes?: number;
}

/** The unused scripted responses of a webhook. */
export interface Script {
  /** The id of the webhook. */
  readonly id: string;
  readonly responses: readonly ScriptedResponse[];
}

/** The addresses that a mailbox claims. */
export interface Claims {
  /** The id of the mailbox. */
  readonly id: string;
  readonly addresses: readonly string[];
}

export interface Setting {
  readonly id: 'clockOffsetMs';
  readonly value: number;
}

export interface Rows {
  workspaces: Workspace;
  keys: ApiKey;
  groups: MailboxGroup;
  authenticators: Authenticator;
  mailboxes: Mailbox;
  claims: Claims;
  inbound: Inbound;
  settings: Setting;
  identities: Identity;
  suppression: SuppressionEntry;
  outbound: Outbound;
  webhooks: Webhook;
  scripts: Script;
  captured: CaptureFacts;
  providerRecords: ProviderRecord;
  runs: TestRun;
  tests: TestAttempt;
  messages: Message;
  requests: CapturedRequest;
  sends: Send;
  events: RecordedEvent;
  idempotency: IdempotencyRecord;
}

export type TableName = keyof Rows;

/** The tables that stay small under any traffic. A snapshot holds them. */
export const SMALL_TABLES = [
  'workspaces',
  'keys',
  'groups',
  'authenticators',
  'mailboxes',
  'claims',
  'inbound',
  'settings',
  'identities',
  'suppression',
  'outbound',
  'webhooks',
  'scripts',
  'captured',
  'providerRecords',
  'runs',
  'tests',
] as const satisfies readonly TableName[];
/** The tables that grow with traffic. Only the log holds them. */
export const APPEND_TABLES = [
  'messages',
  'requests',
  'sends',
  'events',
  'idempotency',
] as const satisfies readonly TableName[];

export const TABLES: readonly TableName[] = [...SMALL_TABLES, ...APPEND_TABLES];

export type AppendTable = (typeof APPEND_TABLES)[number];

/** Tells whether a table grows with traffic. */
export function isAppendTable(table: TableName): table is AppendTable {
  const append: readonly TableName[] = APPEND_TABLES;
  return append.includes(table);
}

/** Inserts a row, or replaces the one with its id. */
export type Put = { readonly [Name in TableName]: readonly ['put', Name, Rows[Name]] }[TableName];

/** Returns the change that puts a row into its table. */
export function putOf(name: TableName, row: Rows[TableName]): Put {
  return ['put', name, row] as Put; // name and row fit together
}

/** Removes a row. `expired` means that its bytes should be erased from the disk soon. */
export type Remove = readonly ['remove', TableName, string, expired?: boolean];
/**
 * Removes every message of a mailbox, or captured request of a webhook, up to an id. It has the same effect in any
 * order with later changes.
 */
export type Clear = readonly ['clear', groupId: string, upTo: string, requests?: 'requests'];
/** A change, as it is written to a log and applied to a state, live and at recovery. */
export type Change = Put | Remove | Clear;

/** A position in a log. Segment 0 and offset 0 mean no log. */
export interface LogPosition {
  readonly segment: number;
  readonly offset: number;
}

/** A row that a change replaced or removed. */
export interface GoneRow {
  readonly table: TableName;
  readonly id: string;
  readonly blobs: readonly BlobRef[];
  /** The position of the row's record. Null except for messages. */
  readonly home: LogPosition | null;
}

/** All rows in memory, without blobs. Small rows are objects; messages have a table of their own. */
export class State<Messages extends MessageTable = MessageTable> {
  readonly keysByHash = new UniqueIndex<ApiKey>((key) => key.hash);
  readonly keysByWorkspace = new GroupIndex<ApiKey>((key) => key.workspaceId);
  readonly activeKeys = new SumIndex<ApiKey>(
    (key) => key.workspaceId,
    (key) => (key.revokedAt === null ? 1 : 0),
  );
  readonly groupsByWorkspace = new GroupIndex<MailboxGroup>((group) => group.workspaceId);
  readonly authenticatorsByWorkspace = new GroupIndex<Authenticator>((authenticator) => authenticator.workspaceId);
  readonly mailboxBySubdomain = new UniqueIndex<Mailbox>((mailbox) => mailbox.subdomain);
  readonly mailboxesByWorkspace = new GroupIndex<Mailbox>((mailbox) => mailbox.workspaceId);
  readonly mailboxesByGroup = new GroupIndex<Mailbox>((mailbox) => mailbox.groupId);
  readonly inbox = new UniqueIndex<Mailbox>((mailbox) => (mailbox.seeded ? 'inbox' : null));
  readonly messages: Messages;
  /** The records are in the order of their creation, which is also the order of their expiry. */
  readonly idempotency = new Table<IdempotencyRecord>([]);
  readonly workspaces = new Table<Workspace>([]);
  readonly keys = new Table<ApiKey>([this.keysByHash, this.keysByWorkspace, this.activeKeys]);
  readonly groups = new Table<MailboxGroup>([this.groupsByWorkspace]);
  readonly authenticators = new Table<Authenticator>([this.authenticatorsByWorkspace]);
  readonly mailboxes = new Table<Mailbox>([
    this.mailboxBySubdomain,
    this.mailboxesByWorkspace,
    this.mailboxesByGroup,
    this.inbox,
  ]);
  readonly identitiesByWorkspace = new GroupIndex<Identity>((identity) => identity.workspaceId);
  readonly suppressionByWorkspace = new GroupIndex<SuppressionEntry>((entry) => entry.workspaceId);
  readonly suppressionByRecipient = new UniqueIndex<SuppressionEntry>((entry) =>
    suppressionKey(entry.workspaceId, entry.recipient),
  );
  readonly webhookByKey = new UniqueIndex<Webhook>((webhook) => webhook.key);
  readonly webhooksByWorkspace = new GroupIndex<Webhook>((webhook) => webhook.workspaceId);
  readonly requestsByWebhook = new GroupIndex<CapturedRequest>((request) => request.webhookId);
  readonly heldByWebhook = new SumIndex<CapturedRequest>((request) => request.webhookId, heldBytes);
  readonly requestsInOrder = new OrderIndex<CapturedRequest>();
  readonly pendingRequests = new OrderIndex<CapturedRequest>((request) => request.forwardStatus === 'pending');
  readonly sendsByWorkspace = new GroupIndex<Send>((send) => send.workspaceId);
  readonly sendsByMailbox = new GroupIndex<Send>((send) => send.mailboxId);
  readonly sendsInOrder = new OrderIndex<Send>();
  readonly pendingSends = new OrderIndex<Send>(isPending);
  readonly eventsInOrder = new OrderIndex<RecordedEvent>();
  readonly identities = new Table<Identity>([this.identitiesByWorkspace]);
  readonly suppression = new Table<SuppressionEntry>([this.suppressionByWorkspace, this.suppressionByRecipient]);
  readonly outbound = new Table<Outbound>([]);
  readonly webhooks = new Table<Webhook>([this.webhookByKey, this.webhooksByWorkspace]);
  readonly scripts = new Table<Script>([]);
  /** The sums of {@link CaptureFacts}.bytes, for a store whose requests are not in memory. */
  readonly toldByWebhook = new SumIndex<CaptureFacts>(
    ({ id }) => id,
    ({ bytes = 0 }) => bytes,
  );
  readonly captured = new Table<CaptureFacts>([this.toldByWebhook]);
  readonly requests = new Table<CapturedRequest>([
    this.requestsByWebhook,
    this.heldByWebhook,
    this.requestsInOrder,
    this.pendingRequests,
  ]);
  readonly sends = new Table<Send>([this.sendsByWorkspace, this.sendsByMailbox, this.sendsInOrder, this.pendingSends]);
  readonly events = new Table<RecordedEvent>([this.eventsInOrder]);
  readonly providerRecordsByCollection = new GroupIndex<ProviderRecord>((record) => record.collection);
  readonly providerRecordsByWorkspace = new GroupIndex<ProviderRecord>((record) => record.workspaceId);
  readonly dueProviderRecords = new OrderIndex<ProviderRecord>((record) => record.dueAt !== undefined);
  readonly providerRecords = new Table<ProviderRecord>([
    this.providerRecordsByCollection,
    this.providerRecordsByWorkspace,
    this.dueProviderRecords,
  ]);
  readonly claimants = new KeysIndex<Claims>(({ addresses }) => addresses.map(claimKey));
  readonly claims = new Table<Claims>([this.claimants]);
  readonly inbound = new Table<Inbound>([]);
  readonly settings = new Table<Setting>([]);
  readonly runs = new Table<TestRun>([]);
  readonly testsByRun = new GroupIndex<TestAttempt>((test) => test.runId);
  readonly attemptsByTest = new GroupIndex<TestAttempt>(testKeyOf);
  readonly tests = new Table<TestAttempt>([this.testsByRun, this.attemptsByTest]);

  #newestFeedId = '';

  constructor(messages: Messages) {
    this.messages = messages;
  }

  row<Name extends TableName>(name: Name, id: string): Rows[Name] | undefined {
    const found = name === 'messages' ? this.messages.get(id) : this.table(name)?.get(id);
    // The cast is safe: the table of a name holds only rows of its type.
    return found as Rows[Name] | undefined;
  }

  /** Yields the rows of a table as changes that recreate them. */
  *puts<Name extends TableName>(name: Name): Generator<Put> {
    const rows: Iterable<Rows[TableName]> = this.table(name)?.values() ?? this.messages.values();
    for (const row of rows) yield putOf(name, row);
  }

  /** Returns which mail of a mailbox is past its retention. */
  expiryOfMailbox(id: string, now: Moment): Expiry {
    return this.#expiryOf(this.mailboxes.get(id), now);
  }

  /** Returns which captured requests of a webhook are past their retention. */
  expiryOfWebhook(id: string, now: Moment): Expiry {
    return this.#expiryOf(this.webhooks.get(id), now);
  }

  /** Tells whether a message is past its retention. */
  isExpiredMessage({ mailboxId, receivedAt }: Pick<Message, 'mailboxId' | 'receivedAt'>, now: Moment): boolean {
    return isExpired(receivedAt, this.expiryOfMailbox(mailboxId, now));
  }

  /** Tells whether a captured request is past its retention. */
  isExpiredRequest({ webhookId, receivedAt }: CapturedRequest, now: Moment): boolean {
    return isExpired(receivedAt, this.expiryOfWebhook(webhookId, now));
  }

  /** The newest id that the feed ever had, or ''. Neither a removal nor a failed transaction lowers it. */
  get newestFeedId(): string {
    return this.#newestFeedId;
  }

  /** Records an id as the newest of the feed if it is higher. */
  learn(id: string): void {
    if (id > this.#newestFeedId) this.#newestFeedId = id;
  }

  /** Resets the newest id of the feed to an earlier one, because the rows after it were not stored. */
  unlearn(id: string): void {
    this.#newestFeedId = id;
  }

  /** Returns the table of a name. Null for messages, which have a table of another kind. */
  protected table(name: TableName): Table<Rows[TableName]> | null {
    // The cast is safe: the types of Put pair each table with its own rows.
    return name === 'messages' ? null : (this[name] as unknown as Table<Rows[TableName]>);
  }

  /** Nothing is within the retention of a mailbox or webhook that does not exist. */
  #expiryOf(owner: Mailbox | Webhook | undefined, now: Moment): Expiry {
    const days = owner?.retentionDays ?? 0;
    const workspace = owner === undefined ? undefined : this.workspaces.get(owner.workspaceId);
    return { shown: retentionCutoff(days, timeOf(workspace, now)), real: retentionCutoff(days, now.realNow) };
  }

  /** Returns the captured requests of a webhook up to and including an id. */
  protected requestsUpTo(webhookId: string, upTo: string): CapturedRequest[] {
    const doomed: CapturedRequest[] = [];
    for (const row of this.requestsByWebhook.of(webhookId).ascending()) {
      if (row.id > upTo) break;
      doomed.push(row);
    }
    return doomed;
  }
}

/** Returns the id of a row in the feed, or the newest feed id that the row records. Returns '' if it has neither. */
export function feedIdIn(name: TableName, row: Rows[TableName]): string {
  if (name === 'messages' || name === 'requests' || name === 'events') return row.id;
  return 'lastId' in row ? row.lastId : '';
}

/** Returns the key of a suppression entry: workspace and recipient. */
export function suppressionKey(workspaceId: string, recipient: string): string {
  return `${workspaceId} ${recipient}`;
}

/** The messages of a state, as its readers see them. Counts and sums are kept up to date, so no scan is needed. */
export interface MessageTable {
  readonly size: number;
  /** The bytes of mail of all workspaces. */
  readonly bytes: number;
  /** All messages in the order of their ids. */
  readonly inOrder: SortedRows<Message>;
  get(id: string): Message | undefined;
  /** Returns the messages of a mailbox in the order of their ids. */
  of(mailboxId: string): SortedRows<Message>;
  /** Returns the messages of a kind in a mailbox. Those of another kind cost nothing. */
  ofKind(mailboxId: string, kind: MessageKind): Pick<SortedRows<Message>, 'descending'>;
  /**
   * Yields the messages of a mailbox, of a kind if one is given, or all, the newest first. With `before`, it yields only
   * ids below it. All messages may be one object that changes with each step, so the caller must not keep it.
   */
  glimpse(mailboxId?: string, before?: string, kind?: MessageKind): Iterable<Message>;
  /** Returns a row. It may be an object that changes with the next call, so the caller must not keep it. */
  peek(id: string): Message | undefined;
  /** Returns the bytes of mail of a workspace. */
  bytesOf(workspaceId: string): number;
  /** Returns the number of unread messages of a mailbox. */
  unreadOf(mailboxId: string): number;
  /** Returns the tags of the messages of a workspace. */
  tagsOf(workspaceId: string): SummedTags;
  /** Yields every message as a new object. */
  values(): Iterable<Message>;
}

/**
 * A change that transactions see and that is not durable yet. Changes are settled in their order and undone in reverse.
 */
export interface PendingChange {
  /** Tells whether the change replaces a row of a message. */
  readonly replaces?: boolean;
  /** Undoes the change. */
  undo(): void;
  /** Reports that the change is now in the committed state. */
  settle(): void;
}

const NAMES: ReadonlySet<unknown> = new Set(TABLES);

export function isTableName(value: unknown): value is TableName {
  return NAMES.has(value);
}

/**
 * Tells whether a value from a file has the shape of a change. It does not check the row, because a checksum protects
 * the row's content.
 */
export function isChange(value: unknown): value is Change {
  if (!Array.isArray(value)) return false;
  const [what, name, third] = value as readonly unknown[];
  switch (what) {
    case 'put':
      return (
        isTableName(name) &&
        typeof third === 'object' &&
        third !== null &&
        'id' in third &&
        typeof third.id === 'string'
      );
    case 'remove':
      return isTableName(name) && typeof third === 'string';
    case 'clear':
      return typeof name === 'string' && typeof third === 'string';
    default:
      return false;
  }
}

/** The fields that refer to blobs, by table. */
const BLOB_FIELDS = {
  messages: ['raw', 'facts'],
  requests: ['headers', 'body', 'forwardResponse'],
  sends: ['raw'],
} as const satisfies { readonly [Name in TableName]?: readonly (keyof Rows[Name])[] };

export type BlobTable = keyof typeof BLOB_FIELDS;

export const BLOB_TABLES = ['messages', 'requests', 'sends'] as const satisfies readonly BlobTable[];

function isBlobTable(name: TableName): name is BlobTable {
  return name in BLOB_FIELDS;
}

const NONE: readonly BlobRef[] = [];

/** Returns the blobs to which a row refers. */
export function blobsOf([, name, row]: Put): readonly BlobRef[] {
  // This case comes first for speed: messages are written ten thousand times per second.
  if (name === 'messages') return [row.raw, row.facts];
  if (name === 'requests') return [row.headers, row.body, row.forwardResponse].filter((ref) => ref !== null);
  if (name === 'sends') return row.raw === null ? NONE : [row.raw];
  return NONE;
}

/** Returns a row with its blob references replaced as `moved` maps them. */
export function withBlobs(put: Put, moved: ReadonlyMap<BlobRef, string>): Put {
  const [, name, row] = put;
  if (!isBlobTable(name)) return put;
  const copy = { ...row };
  for (const field of BLOB_FIELDS[name]) {
    // The cast is safe: the fields above hold references or null.
    const ref = Reflect.get(row, field) as BlobRef | null;
    if (ref !== null) Reflect.set(copy, field, moved.get(ref) ?? ref);
  }
  return putOf(name, copy);
}
