/** Whether there is a process of that id, of any user. */
export function isAlive(pid: number): boolean {
  try {
    // 0 is no signal: it asks whether one could be sent.
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
