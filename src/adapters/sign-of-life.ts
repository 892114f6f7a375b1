import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';

// A socket in a directory that containers share is reached from all of them, and closed by the kernel however its process ends:
// a process number means something within one container only.

/** Listens at a path until told to stop; null where the file system, or the path's length, allows no socket there. */
export function showLife(path: string): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const server = createServer((caller) => caller.destroy());
    server.unref();
    server.once('error', () => resolve(null));
    server.listen(path, () => {
      resolve(() => {
        server.close();
        rmSync(path, { force: true });
      });
    });
  });
}

/** Whether a process of this machine listens at a path; null where that can't be told. */
export function showsLife(path: string): Promise<boolean | null> {
  return new Promise((resolve) => {
    const caller = connect(path);
    caller.once('connect', () => {
      caller.destroy();
      resolve(true);
    });
    caller.once('error', (error) => {
      const code = 'code' in error ? error.code : null;
      if (code === 'ECONNREFUSED') resolve(false);
      // It listens, and has more callers waiting than it takes.
      else resolve(code === 'EAGAIN' ? true : null);
    });
  });
}
