import { spawn } from 'node:child_process';
import type { Mailcap } from '../../index.ts';

/** `mailcap inbox` on this terminal, in a process of its own: what it does to itself, it does not do to the server. Resolves when it is left, with what is to be said of it. */
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
    // It gives the terminal back before it ends.
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
