import { spawn } from 'node:child_process';
import type { Mailcap } from '../../index.ts';

/**
 * Runs `mailcap inbox` on this terminal in a process of its own, so that it can't harm the server. Resolves when it
 * ends, with an error sentence or null.
 */
export function openInbox(server: Mailcap): Promise<string | null> {
  const told = {
    MAILCAP_URL: server.url,
    MAILCAP_API_KEY: server.apiKey,
    MAILCAP_WORKSPACE_ID: server.workspaceId,
    ...(server.adminToken === null ? {} : { MAILCAP_ADMIN_TOKEN: server.adminToken }),
  };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [process.argv[1] ?? '', 'inbox'], {
      stdio: 'inherit',
      env: { ...process.env, ...told },
    });
    // The child process restores the terminal before it ends.
    const end = () => child.kill('SIGTERM');
    process.once('exit', end);
    process.once('SIGTERM', end);
    const leave = (said: string | null) => {
      process.off('exit', end);
      process.off('SIGTERM', end);
      resolve(said);
    };
    child.once('error', (error) => leave(`The inbox could not be started: ${error.message}`));
    child.once('exit', (code) => leave(code === 0 || code === null ? null : `The inbox ended with exit code ${code}.`));
  });
}
