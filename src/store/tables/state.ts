import type { ApiKey } from '../../domain/api-key.ts';
import type { Authenticator } from '../../domain/authenticator.ts';
import type { Group } from '../../domain/group.ts';
import type { IdempotencyRecord } from '../../domain/idempotency.ts';
import type { MessageId } from '../../domain/ids.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import type { Message } from '../../domain/message.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { GroupIndex, SumIndex, Table, UniqueIndex } from './table.ts';

/** A mailbox's day counts and the newest id it gave out: both outlive the messages. */
export interface Inbound {
  /** The mailbox's. */
  readonly id: string;
  /** The last few days that mail came on, by day: a clock that is set back finds the count as it was. */
  readonly used: Readonly<Record<string, number>>;
  readonly lastId: MessageId;
}

export interface Setting {
  readonly id: 'clockOffsetMs';
  readonly value: number;
}

export interface Rows {
  workspaces: Workspace;
  keys: ApiKey;
  groups: Group;
  authenticators: Authenticator;
  mailboxes: Mailbox;
  inbound: Inbound;
  settings: Setting;
  messages: Message;
  idempotency: IdempotencyRecord;
}

export type TableName = keyof Rows;

/** What stays small whatever the traffic: kept in a snapshot. */
export const SMALL_TABLES = [
  'workspaces',
  'keys',
  'groups',
  'authenticators',
  'mailboxes',
  'inbound',
  'settings',
] as const satisfies readonly TableName[];
/** What grows: kept in the log alone. */
const GROWING_TABLES = ['messages', 'idempotency'] as const satisfies readonly TableName[];

/** Whether the rows of a table are kept in the log alone. */
export function isGrowing(table: TableName): table is (typeof GROWING_TABLES)[number] {
  const growing: readonly TableName[] = GROWING_TABLES;
  return growing.includes(table);
}

/** A row put in place of what stood under its id. */
export type Put = { readonly [Name in TableName]: readonly ['put', Name, Rows[Name]] }[TableName];
/** `expired`: its bytes are to leave the disk soon. */
export type Remove = readonly ['remove', TableName, string, expired?: boolean];
/** Every message of a mailbox up to an id; in any order with later ones it removes the same. */
export type Clear = readonly ['clear', mailboxId: string, upTo: string];
/** What is written to a log and applied to a state: the same on the way in and at recovery. */
export type Change = Put | Remove | Clear;

/** Everything but bytes, in memory. */
export class State {
  readonly keysByHash = new UniqueIndex<ApiKey>((key) => key.hash);
  readonly keysByWorkspace = new GroupIndex<ApiKey>((key) => key.workspaceId);
  readonly activeKeys = new SumIndex<ApiKey>(
    (key) => key.workspaceId,
    (key) => (key.revokedAt === null ? 1 : 0),
  );
  readonly groupsByWorkspace = new GroupIndex<Group>((group) => group.workspaceId);
  readonly authenticatorsByWorkspace = new GroupIndex<Authenticator>((authenticator) => authenticator.workspaceId);
  readonly mailboxBySubdomain = new UniqueIndex<Mailbox>((mailbox) => mailbox.subdomain);
  readonly mailboxesByWorkspace = new GroupIndex<Mailbox>((mailbox) => mailbox.workspaceId);
  readonly mailboxesByGroup = new GroupIndex<Mailbox>((mailbox) => mailbox.groupId);
  readonly inbox = new UniqueIndex<Mailbox>((mailbox) => (mailbox.seeded ? 'inbox' : null));
  readonly messagesByMailbox = new GroupIndex<Message>((message) => message.mailboxId);
  readonly storedBytes = new SumIndex<Message>(
    (message) => message.workspaceId,
    (message) => message.sizeBytes,
  );
  /** In the order they were made, which is the order they expire in: a map keeps it. */
  readonly idempotency = new Table<IdempotencyRecord>([]);
  readonly workspaces = new Table<Workspace>([]);
  readonly keys = new Table<ApiKey>([this.keysByHash, this.keysByWorkspace, this.activeKeys]);
  readonly groups = new Table<Group>([this.groupsByWorkspace]);
  readonly authenticators = new Table<Authenticator>([this.authenticatorsByWorkspace]);
  readonly mailboxes = new Table<Mailbox>([
    this.mailboxBySubdomain,
    this.mailboxesByWorkspace,
    this.mailboxesByGroup,
    this.inbox,
  ]);
  readonly inbound = new Table<Inbound>([]);
  readonly settings = new Table<Setting>([]);
  readonly messages = new Table<Message>([this.messagesByMailbox, this.storedBytes]);

  /** Applies a change; what undoes it, in the order to be applied. */
  apply(change: Change): Change[] {
    switch (change[0]) {
      case 'put':
        return [this.#put(change)];
      case 'remove': {
        const undo = this.#remove(change);
        return undo === null ? [] : [undo];
      }
      case 'clear':
        return this.#clear(change);
    }
  }

  /** The rows of one table as changes that make them again. */
  *puts<Name extends TableName>(name: Name): Generator<Change> {
    for (const row of this.#table(name).values()) yield ['put', name, row] as Put; // the pair is of one table
  }

  #put([, name, row]: Put): Change {
    const old = this.#table(name).put(row);
    return old === undefined ? ['remove', name, row.id] : (['put', name, old] as Put); // the pair is of one table
  }

  #remove([, name, id]: Remove): Change | null {
    const old = this.#table(name).remove(id);
    return old === undefined ? null : (['put', name, old] as Put); // the pair is of one table
  }

  #clear([, mailboxId, upTo]: Clear): Change[] {
    const doomed: Message[] = [];
    for (const message of this.messagesByMailbox.of(mailboxId).ascending()) {
      if (message.id > upTo) break;
      doomed.push(message);
    }
    for (const message of doomed) this.messages.remove(message.id);
    return doomed.map((message) => ['put', 'messages', message]);
  }

  #table(name: TableName): Table<Rows[TableName]> {
    // Each table takes the rows of its own name only, which the types of Put hold to.
    return this[name] as unknown as Table<Rows[TableName]>;
  }
}
