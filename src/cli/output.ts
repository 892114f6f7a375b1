import { EXIT } from './command.ts';

// Results go to standard output, messages to the user to standard error.

/** Ends the process quietly when its reader goes away, as `head` does. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const why = error.code === 'ENOSPC' ? 'the disk is full' : String(error.code);
    process.stderr.write(`mailcap: the output can't be written: ${why}.\n`);
    process.exit(EXIT.failed);
  });
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one JSON value on one line. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Prints bytes as they are. Resolves when they are written. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

export function say(sentence: string): void {
  process.stderr.write(`mailcap: ${sentence}\n`);
}

/** Prints a sentence that the inboxes show too, after the program's name. It makes the first letter lower case. */
export function sayShared(sentence: string): void {
  say(sentence.slice(0, 1).toLowerCase() + sentence.slice(1));
}

/** Resolves when all output has left the process. An earlier exit would cut it off if a pipe is slow. */
export function flushed(): Promise<void> {
  return new Promise((resolve) => process.stdout.write('', () => resolve()));
}
