import type { MailboxId, MessageId, WorkspaceId } from '../../../domain/ids.ts';
import type { BlobRef, Message } from '../../../domain/message.ts';
import type { AddressList } from './address-list.ts';
import type { HeldBlock } from './held-block.ts';
import { type HeldBlocks, rowOf } from './held-blocks.ts';
import { idKey } from './packed-rows.ts';
import { AT } from './record.ts';

/** A view of a packed row that reads each field on access. The same view is moved from row to row. */
class RowView implements Message {
  #held: HeldBlock;
  #row: number;

  constructor(held: HeldBlock, row: number) {
    this.#held = held;
    this.#row = row;
  }

  show(held: HeldBlock, row: number): this {
    this.#held = held;
    this.#row = row;
    return this;
  }

  // The casts are safe: these texts were stored as ids and references.

  get id(): MessageId {
    return this.#held.block.id(this.#row) as MessageId;
  }

  get workspaceId(): WorkspaceId {
    return this.#held.workspaceOf(this.#row).id as WorkspaceId;
  }

  get mailboxId(): MailboxId {
    return this.#held.mailboxOf(this.#row).id as MailboxId;
  }

  get receivedAt(): number {
    return this.#held.block.receivedAt(this.#row);
  }

  get sizeBytes(): number {
    return this.#held.block.sizeBytes(this.#row);
  }

  get attachmentCount(): number {
    return this.#held.block.attachmentCount(this.#row);
  }

  get from(): string | null {
    return this.#held.block.textOrNull(this.#row, AT.from);
  }

  get to(): string | null {
    return this.#held.block.textOrNull(this.#row, AT.to);
  }

  get cc(): string | null {
    return this.#held.block.textOrNull(this.#row, AT.cc);
  }

  get subject(): string | null {
    return this.#held.block.textOrNull(this.#row, AT.subject);
  }

  get mailFrom(): string {
    return this.#held.block.text(this.#row, AT.mailFrom);
  }

  get rcptTo(): readonly string[] {
    return this.#held.block.rcptTo(this.#row);
  }

  get raw(): BlobRef {
    return this.#held.block.raw(this.#row);
  }

  get facts(): BlobRef {
    return this.#held.block.facts(this.#row);
  }
}

/**
 * Yields a view of each row, the newest first. With `before`, it yields only ids below it. It yields the same object
 * each time, so the caller must not keep it.
 */
export function* rowViews(
  blocks: HeldBlocks,
  addresses: AddressList,
  before: string | undefined,
): Generator<Message, void, void> {
  let view: RowView | null = null;
  for (const address of addresses.descending(idKey(before))) {
    const held = blocks.at(address);
    view = view === null ? new RowView(held, rowOf(address)) : view.show(held, rowOf(address));
    yield view;
  }
}
