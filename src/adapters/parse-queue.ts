/** A queued task. */
interface Waiting<Task> {
  readonly task: Task;
  readonly isLarge: boolean;
  /** The position in the order. The lowest value comes first. */
  readonly turn: number;
}

/** A later task may overtake a task for each block of this many bytes. */
const PASSED_BY_BYTES = 64 * 1024;
/**
 * The size in bytes above which a task counts as large. One large task runs at a time, which bounds memory and leaves a
 * thread to small tasks.
 */
export const LARGE_BYTES = 1024 * 1024;

/**
 * A queue that prefers small tasks but starves none: a task is overtaken at most once per 64 KiB of its size. It uses
 * no clock, so the order depends on the input alone.
 */
export class ParseQueue<Task> {
  readonly #waiting: Waiting<Task>[] = [];
  #came = 0;

  add(task: Task, sizeBytes: number): void {
    this.#waiting.push({
      task,
      isLarge: sizeBytes > LARGE_BYTES,
      turn: ++this.#came + Math.floor(sizeBytes / PASSED_BY_BYTES),
    });
  }

  /**
   * Removes and returns the next task. It skips large tasks unless they are allowed. Returns undefined if there is
   * none.
   */
  take(largeIsAllowed: boolean): { readonly task: Task; readonly isLarge: boolean } | undefined {
    let first = -1;
    for (const [index, { turn, isLarge }] of this.#waiting.entries()) {
      if (isLarge && !largeIsAllowed) continue;
      if (first < 0 || turn < (this.#waiting[first]?.turn ?? 0)) first = index;
    }
    return first < 0 ? undefined : this.#waiting.splice(first, 1)[0];
  }
}
