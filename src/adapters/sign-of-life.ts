import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';

// A Unix socket as a sign of life. All containers that share the directory can reach it, and the kernel closes it even
// if the process is killed. A process id, by contrast, is valid only within one container.

/**
 * Listens at a path. The returned function stops it. Resolves with null if the file system or the path's length allows
 * no socket.
 */
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

/** Tells whether a process on this machine listens at a path. Returns null if that is unknown. */
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
      // EAGAIN: the process listens but its backlog is full.
      else resolve(code === 'EAGAIN' ? true : null);
    });
  });
}
