import type { Change, State } from './state.ts';

/** What a transaction wrote so far, and how to take it back. */
export interface Recording {
  readonly changes: Change[];
  readonly undo: Change[][];
}

/** Takes the changes of a recording back, newest first. */
export function undoAll(state: State, undo: readonly Change[][]): void {
  for (let i = undo.length - 1; i >= 0; i--) for (const change of undo[i] ?? []) state.apply(change);
}
