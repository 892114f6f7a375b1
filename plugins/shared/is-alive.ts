/** Tells whether a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    // Signal 0 is not sent; the call only checks whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
