import { fileURLToPath } from 'node:url';
import { framesOf, pointed, siteAbove } from '../../src/client/call-site.ts';

/** A line of somebody's test. */
export interface CallSite {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Of a frame of a stack; undefined where that can't be told. */
export function callSiteOf(frame: string | undefined): CallSite | undefined {
  const found = /(?:^\s+at |\()((?:file:\/\/)?[^()]+):(\d+):(\d+)\)?$/.exec(frame ?? '');
  const [, place = '', line, column] = found ?? [];
  if (found === null) return undefined;
  const file = place.replace(/^async /, '');
  return { file: file.startsWith('file://') ? fileURLToPath(file) : file, line: Number(line), column: Number(column) };
}

/** A function that is told which line called it, and whose errors point at that line. */
export function sited<Args extends unknown[], Result>(
  run: (site: CallSite | undefined, ...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const outer = (...args: Args): Promise<Result> => {
    const site = siteAbove(outer);
    return pointed(site, () => run(callSiteOf(framesOf(site)[0]), ...args));
  };
  return outer;
}
