import { spawn } from 'node:child_process';
import { sleep } from './clock.ts';

/** What still runs then is the browser itself, which some openers become. */
const PATIENCE_MS = 3_000;

/** Opens a page in the user's browser, which outlives this process. False, and `failed` is told, where none could be started. */
export async function openInBrowser(
  url: string,
  failed = () => console.error(`mailcap: no browser could be opened; the page is ${url}`),
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
  // cmd's start would take an & of the URL for a command of its own.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
