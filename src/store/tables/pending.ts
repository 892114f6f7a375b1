/**
 * A change that transactions see and that is not durable yet. Changes are settled in the order they were made, and
 * undone in the opposite one.
 */
export interface Pending {
  /** Takes it back. */
  undo(): void;
  /** Called when the committed state has just taken it. */
  settle(): void;
}
