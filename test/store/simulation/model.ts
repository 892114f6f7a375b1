import { createHash } from 'node:crypto';
import type { ApiKey } from '../../../src/domain/api-key.ts';
import type { Authenticator } from '../../../src/domain/authenticator.ts';
import type { CapturedRequest } from '../../../src/domain/captured-request.ts';
import type { RecordedEvent } from '../../../src/domain/event.ts';
import type { IdempotencyRecord } from '../../../src/domain/idempotency.ts';
import type { Mailbox, MailboxGroup } from '../../../src/domain/mailbox.ts';
import type { BlobRef, Message } from '../../../src/domain/message.ts';
import type { Identity, SuppressionEntry } from '../../../src/domain/outbound.ts';
import type { ProviderRecord } from '../../../src/domain/provider.ts';
import type { Send } from '../../../src/domain/send.ts';
import type { ScriptedResponse, Webhook } from '../../../src/domain/webhook.ts';
import type { Workspace } from '../../../src/domain/workspace.ts';

/** A counter by UTC day. It outlives the messages of a mailbox, or it belongs to a workspace. */
export interface Counter {
  readonly id: string;
  readonly used: Readonly<Record<string, number>>;
}

/** The expected rows of a store, by table. A row holds the {@link digest} of its bytes instead of a reference. */
export interface ModelRows {
  workspaces: Workspace;
  keys: ApiKey;
  groups: MailboxGroup;
  authenticators: Authenticator;
  mailboxes: Mailbox;
  claims: { readonly id: string; readonly addresses: readonly string[] };
  inbound: Counter & { readonly lastId: string };
  outbound: Counter;
  identities: Identity;
  suppression: SuppressionEntry;
  webhooks: Webhook;
  scripts: { readonly id: string; readonly responses: readonly ScriptedResponse[] };
  captured: { readonly id: string; readonly lastRequestAt: number };
  messages: Message;
  requests: CapturedRequest;
  sends: Send;
  events: RecordedEvent;
  idempotency: IdempotencyRecord;
  providerRecords: ProviderRecord;
  settings: { readonly id: string; readonly value: number };
}

export type ModelTable = keyof ModelRows;

/** A change: the row that an id has from now on, or null for none. */
export type ModelChange = {
  readonly [Name in ModelTable]: readonly [table: Name, id: string, row: ModelRows[Name] | null];
}[ModelTable];

type Row = ModelRows[ModelTable];

/** The expected contents of a store at one moment. A model is immutable; a change returns a new one. */
export class Model {
  readonly #tables: ReadonlyMap<ModelTable, ReadonlyMap<string, Row>>;

  constructor(tables: ReadonlyMap<ModelTable, ReadonlyMap<string, Row>> = new Map()) {
    this.#tables = tables;
  }

  /** Returns all rows of a table in the order of their ids. */
  all<Name extends ModelTable>(name: Name): ModelRows[Name][] {
    return [...this.#rows(name).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  get<Name extends ModelTable>(name: Name, id: string): ModelRows[Name] | undefined {
    return this.#rows(name).get(id);
  }

  after(changes: readonly ModelChange[]): Model {
    if (changes.length === 0) return this;
    const tables = new Map(this.#tables);
    const fresh = new Map<ModelTable, Map<string, Row>>();
    for (const [name, id, row] of changes) {
      let rows = fresh.get(name);
      if (rows === undefined) {
        rows = new Map(tables.get(name));
        fresh.set(name, rows);
        tables.set(name, rows);
      }
      if (row === null) rows.delete(id);
      else rows.set(id, row);
    }
    return new Model(tables);
  }

  /** Returns every id of the feed, oldest first. */
  feedIds(): string[] {
    const ids: string[] = [];
    for (const name of ['messages', 'requests', 'events'] as const) ids.push(...this.#rows(name).keys());
    return ids.sort();
  }

  #rows<Name extends ModelTable>(name: Name): ReadonlyMap<string, ModelRows[Name]> {
    // The type of a change pairs each table with its own rows.
    return (this.#tables.get(name) ?? new Map()) as ReadonlyMap<string, ModelRows[Name]>;
  }
}

/** Returns a digest of bytes, which the model's rows hold instead of a reference. */
export function digest(bytes: Uint8Array): BlobRef {
  // The model only compares this reference and never reads it.
  return `${bytes.length}:${createHash('md5').update(bytes).digest('base64')}` as BlobRef;
}

const texts = new WeakMap<object, string>();

/** Returns a row as text. Equal rows give equal texts, whatever the order of their fields. */
export function textOf(row: object): string {
  let text = texts.get(row);
  if (text === undefined) {
    text = canonical(row);
    texts.set(row, text);
  }
  return text;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
