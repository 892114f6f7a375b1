import { AddressList, type CompareId } from './address-list.ts';
import type { Block } from './block.ts';

/** The rows of a mailbox. */
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
    if (mailbox === undefined) throw new Error(`the row ${row} of a message block is of no mailbox`);
    return mailbox;
  }

  workspaceOf(row: number): WorkspaceBytes {
    const workspace = this.workspaces.get(this.block.workspaceNumber(row));
    if (workspace === undefined) throw new Error(`the row ${row} of a message block is of no workspace`);
    return workspace;
  }
}
