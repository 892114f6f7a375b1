import type { Reader, Tx } from '../../../ports/store.ts';
import type { Change } from '../state.ts';

/** What the changes of a transaction go through. */
export type Write = (change: Change) => void;

/** What a transaction can do to one kind of thing beside reading it. */
export type Writes<Name extends keyof Tx> = Omit<Tx[Name], keyof Reader[Name]>;
