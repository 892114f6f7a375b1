import { createHash } from 'node:crypto';
import { LONG_FILES } from './long-files.ts';

/** The number of shares of the night. `.ci/run` takes one of them with each commit. */
export const SHARES = 96;

/** A run with a share takes one of as many parts of the long files. Twelve commits in a row take all of them. */
export const PARTS = 12;

/** The tests that run on two servers by day too. */
export const TWO_SERVERS_BY_DAY: readonly string[] = [
  'test/http/diagnosis.test.ts',
  'test/http/rate-limits.test.ts',
  'test/smtp/faults.test.ts',
];

/** A test file in a project of `vitest.config.ts`. */
export interface ProjectFile {
  readonly project: string;
  /** The path from the root of the repository, with `/`. */
  readonly path: string;
}

/**
 * Reads MAILCAP_NIGHT_SHARE, such as `2/96`, and returns the number of the share. Returns null if it is not set. Throws if
 * it names no share.
 */
export function shareOf(given: string | undefined): number | null {
  if (given === undefined || given === '') return null;
  const [number = '', of, ...more] = given.split('/');
  const isShare = of === String(SHARES) && more.length === 0 && /^[1-9]\d?$/.test(number);
  const share = isShare ? Number(number) : Number.NaN;
  if (!(share <= SHARES))
    throw new Error(`MAILCAP_NIGHT_SHARE is '${given}', not one of 1/${SHARES} to ${SHARES}/${SHARES}.`);
  return share;
}

/** Returns the share that a test file belongs to. It depends on the path alone, so that other files don't move it. */
export function shareWith(path: string): number {
  return 1 + (createHash('sha256').update(path).digest().readUInt32BE() % SHARES);
}

/**
 * Returns the files of a part of a run, such as part 2 of 4, with as many long files as the other parts have. A part has
 * a file in all its projects, because one project may skip a test that another has to pass. It depends on the names
 * alone, so that the parts can run on different machines.
 *
 * @param index from 1
 */
export function partOf(files: readonly ProjectFile[], index: number, count: number): ProjectFile[] {
  const long = new Set(LONG_FILES);
  const paths = [...new Set(files.map(({ path }) => path))].sort();
  const inOrder = [...paths.filter((path) => long.has(path)), ...paths.filter((path) => !long.has(path))];
  const own = new Set(inOrder.filter((_, at) => at % count === index - 1));
  return files.filter(({ path }) => own.has(path));
}

/**
 * Tells whether a file of a project runs with a share of the night. The files of the share run as at night. Of the others
 * those run as by day that are not long, and a twelfth of the long ones.
 */
export function runsWith(share: number, { project, path }: ProjectFile): boolean {
  const isInShare = shareWith(path) === share;
  const position = LONG_FILES.indexOf(path);
  const isItsTurn = position === -1 || position % PARTS === share % PARTS;
  if (project === 'two-servers') return isInShare || (TWO_SERVERS_BY_DAY.includes(path) && isItsTurn);
  return project === 'day' ? !isInShare && isItsTurn : isInShare;
}
