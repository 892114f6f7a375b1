import type { Reader, Tx } from '../../../ports/store.ts';
import type { Change } from '../state.ts';

/** Takes each change of a transaction. */
export type Write = (change: Change) => void;

/** The writes of a transaction to one kind of thing. */
export type Writes<Name extends keyof Tx> = Omit<Tx[Name], keyof Reader[Name]>;
