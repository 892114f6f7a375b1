import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  /** Uses up all free space, as another program could. */
  takeAll(): void;
  unmount(): void;
}

/** The reason to skip a test whose small disk is null. */
export const NO_DISK = 'this user may not mount a small disk';

/** Mounts a small file system in memory. Returns null if this process may not mount. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'mailcap-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmSync(path, { recursive: true });
    return null;
  }
  return {
    path,
    takeAll() {
      try {
        writeFileSync(join(path, 'ballast'), Buffer.alloc((statfsSync(path).bavail + 1) * 4096));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },
    unmount() {
      execFileSync('umount', ['-l', path]);
      rmSync(path, { recursive: true });
    },
  };
}
