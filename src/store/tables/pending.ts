/**
 * A change that transactions see and that is not durable yet. Changes are settled in their order and undone in reverse.
 */
export interface Pending {
  /** Undoes the change. */
  undo(): void;
  /** Reports that the change is now in the committed state. */
  settle(): void;
}
