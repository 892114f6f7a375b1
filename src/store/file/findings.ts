import type { Disk } from '../../ports/disk.ts';

/** Something that was found while a directory was read. An `error` tells what is lost. */
export interface Finding {
  readonly level: 'error' | 'info';
  readonly path: string;
  /** The place in the file, where it is about one. */
  readonly offset?: number;
  readonly message: string;
}

/** The numbers of the segments in a directory, in no order. */
export async function segmentNumbers(disk: Disk, directory: string): Promise<number[]> {
  const names = await disk.list(directory);
  return names
    .map((name) => /^(\d{8,})\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number);
}

/** A finding as one line for a log. */
export function sentenceOf({ path, offset, message }: Finding): string {
  return `${path}${offset === undefined ? '' : ` at byte ${offset}`} ${message}`;
}
