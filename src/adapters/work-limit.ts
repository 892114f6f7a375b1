/** The work and the idle time since a task began, in milliseconds. */
export interface TaskProgress {
  /** The processor time of the process. */
  workedMs(): number;
  /** The time in which the thread of the task had nothing to do. */
  idleMs(): number;
}

/** Returns the progress of a task that begins now. `idleMs` counts the idle time of its thread from any point on. */
export function progressFromNow(idleMs: () => number): TaskProgress {
  const [before, idleBefore] = [process.cpuUsage(), idleMs()];
  return {
    workedMs() {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    },
    idleMs: () => idleMs() - idleBefore,
  };
}

/**
 * Calls `onLate` once a task can have had `ms` of work, or once its thread has waited that long for nothing. On a machine
 * with much else to do, more time passes: a limit of it would fail tasks that never had their turn. The returned function
 * ends the limit.
 */
export function limitWork(ms: number, { workedMs, idleMs }: TaskProgress, onLate: () => void): () => void {
  let isOver = false;
  let timer = setTimeout(look, ms);
  function look(): void {
    const leftMs = ms - Math.max(workedMs(), idleMs());
    if (leftMs > 0) timer = setTimeout(look, Math.max(leftMs, ms / 10));
    // The result may have come while this thread was busy. It is read before this.
    else setImmediate(() => isOver || onLate());
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
