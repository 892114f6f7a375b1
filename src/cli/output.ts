import { EXIT } from './command.ts';

// Answers go to standard output, talk to standard error.

/** A reader that went away, as `head` does, ends the command quietly. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const why = error.code === 'ENOSPC' ? 'the disk is full' : String(error.code);
    process.stderr.write(`mailcap: the answer can't be written: ${why}.\n`);
    process.exit(EXIT.failed);
  });
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One JSON value on a line of its own. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Bytes as they are; resolves when they are on their way. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

export function say(sentence: string): void {
  process.stderr.write(`mailcap: ${sentence}\n`);
}

/** Resolves when what was printed has left the process: an exit would cut it off where a pipe is slow. */
export function flushed(): Promise<void> {
  return new Promise((resolve) => process.stdout.write('', () => resolve()));
}
