import { AddressList, type CompareId } from './address-list.ts';
import { BLOCK_ROWS, Block } from './block.ts';
import type { IdKey } from './id-key.ts';

/** The number of blocks that are filled at a time, each for another segment. */
const FILLING = 4;
/** The number of rows below which a filling block stays, even if all rows are dead. */
const WORTH_DROPPING_ROWS = 256;
/** The ratio of stored to living rows from which a block is compacted. */
const SPARSE = 4;
const WORTH_COMPACTING_ROWS = 64;
/** The number of blocks. It keeps an address a small integer. */
const MOST_BLOCKS = 2 ** 31 / BLOCK_ROWS;

/** The blocks by number and by segment. The address of a row combines the number of its block and its place there. */
export class HeldBlocks {
  readonly #blocks: (HeldBlock | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #segments = new Map<number, Set<HeldBlock>>();
  readonly #filling = new Map<number, HeldBlock>();
  readonly #sparse = new Set<HeldBlock>();

  /** The upper bound of block numbers. */
  get end(): number {
    return this.#blocks.length;
  }

  get(number: number): HeldBlock | undefined {
    return this.#blocks[number];
  }

  /** Returns the block of a row. */
  at(address: number): HeldBlock {
    const held = this.#blocks[blockOf(address)];
    if (held === undefined) throw new Error(`there is no message at ${address}`);
    return held;
  }

  readonly compareId = (address: number, key: IdKey): number => this.at(address).block.compareId(rowOf(address), key);

  /** Returns the blocks of a segment, in the order of their creation. */
  of(segment: number): Iterable<HeldBlock> {
    return this.#segments.get(segment) ?? [];
  }

  /** Returns the block for the next row of a segment. */
  filling(segment: number): HeldBlock {
    const current = this.#filling.get(segment);
    if (current !== undefined && !current.block.isFull) return current;
    if (current !== undefined) this.#seal(current);
    for (const oldest of this.#filling.values()) {
      if (this.#filling.size < FILLING) break;
      this.#seal(oldest);
    }
    const held = this.add(Block.filling(segment), true);
    this.#filling.set(segment, held);
    return held;
  }

  add(block: Block, filling: boolean): HeldBlock {
    const number = this.#free.pop() ?? this.#blocks.length;
    if (number >= MOST_BLOCKS) throw new RangeError('too many messages');
    const held = new HeldBlock(number, block, filling);
    this.#blocks[number] = held;
    const siblings = this.#segments.get(block.segment);
    if (siblings === undefined) this.#segments.set(block.segment, new Set([held]));
    else siblings.add(held);
    return held;
  }

  /** Reports that a row of the block died. */
  thinned(held: HeldBlock): void {
    const { block } = held;
    if (block.live === 0 && (!held.filling || block.rows >= WORTH_DROPPING_ROWS)) this.#drop(held);
    else if (!held.filling && block.stored >= WORTH_COMPACTING_ROWS && block.live * SPARSE <= block.stored)
      this.#sparse.add(held);
  }

  /** Takes the blocks to compact. They are not returned again until they are sparse once more. */
  takeSparse(): readonly HeldBlock[] {
    if (this.#sparse.size === 0) return NONE;
    const sparse = [...this.#sparse];
    this.#sparse.clear();
    return sparse;
  }

  #seal(held: HeldBlock): void {
    this.#filling.delete(held.block.segment);
    held.filling = false;
    held.block.seal();
    this.thinned(held);
  }

  #drop(held: HeldBlock): void {
    const { segment } = held.block;
    this.#blocks[held.number] = undefined;
    this.#free.push(held.number);
    this.#sparse.delete(held);
    if (this.#filling.get(segment) === held) this.#filling.delete(segment);
    const siblings = this.#segments.get(segment);
    siblings?.delete(held);
    if (siblings?.size === 0) this.#segments.delete(segment);
  }
}

const NONE: readonly HeldBlock[] = [];

export function blockOf(address: number): number {
  return Math.trunc(address / BLOCK_ROWS);
}

export function rowOf(address: number): number {
  return address % BLOCK_ROWS;
}

export function rowAddress(held: HeldBlock, row: number): number {
  return held.number * BLOCK_ROWS + row;
}

export class MailboxRows {
  readonly id: string;
  readonly addresses: AddressList;
  /** The number of rows hidden from transactions. */
  hidden = 0;

  constructor(id: string, compare: CompareId) {
    this.id = id;
    this.addresses = new AddressList(compare);
  }
}

/** The sums of a workspace. */
export class WorkspaceBytes {
  readonly id: string;
  rows = 0;
  bytes = 0;
  /** The bytes of rows hidden from transactions. */
  hidden = 0;

  constructor(id: string) {
    this.id = id;
  }
}

/**
 * A numbered block, with the mailboxes and workspaces of its rows. They are found by text number, without reading the
 * text.
 */
export class HeldBlock {
  readonly number: number;
  readonly block: Block;
  filling: boolean;
  readonly mailboxes = new Map<number, MailboxRows>();
  readonly workspaces = new Map<number, WorkspaceBytes>();

  constructor(number: number, block: Block, filling: boolean) {
    this.number = number;
    this.block = block;
    this.filling = filling;
  }

  mailboxOf(row: number): MailboxRows {
    const mailbox = this.mailboxes.get(this.block.mailboxNumber(row));
    if (mailbox === undefined) throw new Error(`the row ${row} of a message block has no mailbox`);
    return mailbox;
  }

  workspaceOf(row: number): WorkspaceBytes {
    const workspace = this.workspaces.get(this.block.workspaceNumber(row));
    if (workspace === undefined) throw new Error(`the row ${row} of a message block has no workspace`);
    return workspace;
  }
}
