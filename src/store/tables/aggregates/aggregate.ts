import type { Reader, Tx } from '../../../ports/store.ts';
import type { Change } from '../state.ts';

/** Records one change of a transaction. */
export type Write = (change: Change) => void;

/** The write methods of a transaction for one aggregate. */
export type Writes<Name extends keyof Tx> = Omit<Tx[Name], keyof Reader[Name]>;
