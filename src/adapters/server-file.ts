import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ready } from '../runtime.ts';
import type { DataDir } from './data-dir.ts';

const FILE = 'server.json';

/** Lets clients find this server (contract 2). The return value takes the file away, unless another server has replaced it. */
export function announce(dir: DataDir, ready: Ready): () => void {
  const content = `${JSON.stringify(ready)}\n`;
  dir.write(FILE, content);
  return () => {
    if (readOrNull(join(dir.path, FILE)) === content) dir.remove(FILE);
  };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
