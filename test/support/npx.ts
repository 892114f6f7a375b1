import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { IS_NIGHT } from './night.ts';

/**
 * Returns the PATH for a shell in a project. By day its npx is a line of shell that runs the project's own program,
 * because npm takes longer to find a program than most of them take to run.
 */
export async function pathWithNpx(cwd: string): Promise<string> {
  const path = process.env['PATH'] ?? '';
  if (IS_NIGHT) return path;
  await mkdir(join(cwd, 'by-day'));
  await writeFile(join(cwd, 'by-day', 'npx'), '#!/bin/sh\nexec "node_modules/.bin/$@"\n', { mode: 0o755 });
  return `${join(cwd, 'by-day')}${delimiter}${path}`;
}
