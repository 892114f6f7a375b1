import { spawn } from 'node:child_process';
import { sleep } from './clock.ts';
import { say } from './output.ts';

/** The time to wait for the opener, in milliseconds. Some openers become the browser itself and never end. */
const PATIENCE_MS = 3_000;

/**
 * Opens a page in the user's browser, which outlives this process. If that fails, it calls `failed` and resolves with
 * false.
 */
export async function openInBrowser(
  url: string,
  failed = () => say(`no browser could be opened; the page is ${url}`),
): Promise<boolean> {
  const [command, ...args] = opener(process.platform);
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
  const isOpened = await Promise.race([ended, sleep(PATIENCE_MS).then(() => true)]);
  child.unref();
  if (!isOpened) failed();
  return isOpened;
}

function opener(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // cmd's `start` would read an & in the URL as the start of another command.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
