import type { Disk } from '../../ports/disk.ts';

/** A result of reading a directory. An `error` names what is lost or damaged. */
export interface StoreFinding {
  readonly level: 'error' | 'info';
  readonly path: string;
  /** The position in the file, if it concerns one. */
  readonly offset?: number;
  readonly message: string;
}

/** Lists the segment numbers in a directory, in no order. */
export async function segmentNumbers(disk: Disk, directory: string): Promise<number[]> {
  const names = await disk.list(directory);
  return names
    .map((name) => /^(\d{8,})\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number);
}

/** Formats a finding as one line for the log. */
export function sentenceOf({ path, offset, message }: StoreFinding): string {
  return `${path}${offset === undefined ? '' : ` at byte ${offset}`} ${message}`;
}
