import { createInterface } from 'node:readline/promises';

/** Asks on standard error, where answers of commands do not go; anything but yes is no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } catch {
    // The terminal was closed, or Ctrl-D typed.
    return false;
  } finally {
    lines.close();
  }
}
