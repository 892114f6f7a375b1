import type { Client } from '../../../src/client/index.ts';
import type { Inbox } from '../../model/inbox.ts';
import type { Input } from '../../model/inputs.ts';
import type { TerminalBackend } from './backend.ts';

/** The inbox that is kept in step with a server. */
export interface KeptInbox {
  readonly backend: TerminalBackend;
  readonly connect: () => Client;
  readonly signal: AbortSignal;
  readonly inbox: () => Inbox;
  /** Called when the server was found again, possibly at another address. */
  readonly moved: (backend: TerminalBackend) => void;
  readonly give: (input: Input) => void;
  readonly later: (input: Input) => void;
  readonly subscribe: (listener: () => void) => () => void;
}
