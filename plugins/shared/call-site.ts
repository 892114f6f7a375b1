import { fileURLToPath } from 'node:url';
import { moveTo } from '../../src/client/call-site.ts';

/** A line of somebody's test. */
export interface CallSite {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Of a stack whose first frame it is; undefined where that can't be told. */
export function callSiteOf(stack: string | undefined): CallSite | undefined {
  const frame = stack?.split('\n').find((line) => /^\s+at /.test(line));
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
    const here: { stack?: string } = {};
    Error.captureStackTrace(here, outer);
    return pointed(here, run(callSiteOf(here.stack), ...args));
  };
  return outer;
}

async function pointed<Result>(here: { stack?: string }, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error) moveTo(here, error);
    throw error;
  }
}
