import type { MailboxId, MessageId, WorkspaceId } from '../../../domain/ids.ts';
import type { BlobRef, Message } from '../../../domain/message.ts';
import { type AddressList, type HeldPage, type HeldPages, rowOf } from './held-pages.ts';
import { idKey } from './id-key.ts';
import { AT, FLAG } from './record.ts';

/** Writes the id of a message as text into a buffer. For a row that is glimpsed, no text is made. */
export function writeIdInto(row: Message, into: Buffer, at: number): void {
  if (row instanceof RowView) row.idInto(into, at);
  else into.write(row.id, at, 'latin1');
}

/** A view of a packed row that reads each field on access. The same view is moved from row to row. */
export class RowView implements Message {
  #held: HeldPage;
  #row: number;

  constructor(held: HeldPage, row: number) {
    this.#held = held;
    this.#row = row;
  }

  show(held: HeldPage, row: number): this {
    this.#held = held;
    this.#row = row;
    return this;
  }

  idInto(into: Buffer, at: number): void {
    this.#held.page.idInto(this.#row, into, at);
  }

  // The casts are safe: these texts were stored as ids and references.

  get id(): MessageId {
    return this.#held.page.id(this.#row) as MessageId;
  }

  get kind(): 'sms' {
    // The type of an optional field. `undefined` stands for an email.
    return (this.#held.page.has(this.#row, FLAG.sms) ? 'sms' : undefined) as 'sms';
  }

  get workspaceId(): WorkspaceId {
    return this.#held.workspaceOf(this.#row).id as WorkspaceId;
  }

  get mailboxId(): MailboxId {
    return this.#held.mailboxOf(this.#row).id as MailboxId;
  }

  get receivedAt(): number {
    return this.#held.page.receivedAt(this.#row);
  }

  get sizeBytes(): number {
    return this.#held.page.sizeBytes(this.#row);
  }

  get attachmentCount(): number {
    return this.#held.page.attachmentCount(this.#row);
  }

  get from(): string | null {
    return this.#held.page.textOrNull(this.#row, AT.from);
  }

  get to(): string | null {
    return this.#held.page.textOrNull(this.#row, AT.to);
  }

  get cc(): string | null {
    return this.#held.page.textOrNull(this.#row, AT.cc);
  }

  get subject(): string | null {
    return this.#held.page.textOrNull(this.#row, AT.subject);
  }

  get mailFrom(): string {
    return this.#held.page.text(this.#row, AT.mailFrom);
  }

  get rcptTo(): readonly string[] {
    return this.#held.page.rcptTo(this.#row);
  }

  get raw(): BlobRef {
    return this.#held.page.raw(this.#row);
  }

  get facts(): BlobRef {
    return this.#held.page.facts(this.#row);
  }

  get isRead(): boolean {
    return this.#held.page.has(this.#row, FLAG.read);
  }

  get isStarred(): boolean {
    return this.#held.page.has(this.#row, FLAG.starred);
  }

  get tags(): readonly string[] {
    return this.#held.page.tags(this.#row);
  }
}

/**
 * Yields a view of each row, the newest first. With `before`, it yields only ids below it. It yields the same object
 * each time, so the caller must not keep it.
 */
export function* rowViews(
  pages: HeldPages,
  addresses: AddressList,
  before: string | undefined,
): Generator<Message, void, void> {
  let view: RowView | null = null;
  for (const address of addresses.descending(idKey(before))) {
    const held = pages.at(address);
    view = view === null ? new RowView(held, rowOf(address)) : view.show(held, rowOf(address));
    yield view;
  }
}
