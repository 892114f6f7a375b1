/** A task that waits. */
interface Waiting<Task> {
  readonly task: Task;
  readonly isLarge: boolean;
  /** When its turn is, as against others. */
  readonly turn: number;
}

/** A task of so many bytes lets one that comes later pass. */
const PASSED_BY_BYTES = 64 * 1024;
/** Of larger ones one is done at a time, so that small ones find a thread and memory stays what one takes. */
export const LARGE_BYTES = 1024 * 1024;

/**
 * Small tasks before large ones, and none for ever: no more later ones pass a task than it has 64 KiB.
 * Without a clock, so that the order depends on nothing but what came.
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

  /** Takes the task whose turn it is, a large one only where that is `allowed`; undefined where there is none. */
  take(largeIsAllowed: boolean): { readonly task: Task; readonly isLarge: boolean } | undefined {
    let first = -1;
    for (const [index, { turn, isLarge }] of this.#waiting.entries()) {
      if (isLarge && !largeIsAllowed) continue;
      if (first < 0 || turn < (this.#waiting[first]?.turn ?? 0)) first = index;
    }
    return first < 0 ? undefined : this.#waiting.splice(first, 1)[0];
  }
}
