import type { Message } from '../../../domain/message.ts';
import { SortedList } from '../sorted-list.ts';
import type { SortedRows } from '../table.ts';
import { IdKey } from './id-key.ts';

/**
 * The addresses of rows in the order of their ids. An address is one number, so a million of them take a few megabytes.
 */
export class AddressList extends SortedList<number, IdKey> {}

/** Packed rows in the order of their ids. An object for a row is created only when the iteration reaches the row. */
export class PackedRows implements SortedRows<Message> {
  readonly #addresses: AddressList;
  readonly #at: (address: number) => Message;

  constructor(addresses: AddressList, at: (address: number) => Message) {
    this.#addresses = addresses;
    this.#at = at;
  }

  get size(): number {
    return this.#addresses.size;
  }

  *ascending(after?: string): Generator<Message, void, void> {
    for (const address of this.#addresses.ascending(idKey(after))) yield this.#at(address);
  }

  *descending(before?: string): Generator<Message, void, void> {
    for (const address of this.#addresses.descending(idKey(before))) yield this.#at(address);
  }
}

export function idKey(position: string | undefined): IdKey | undefined {
  return position === undefined ? undefined : IdKey.of(position);
}
