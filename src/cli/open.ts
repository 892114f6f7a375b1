import { spawn } from 'node:child_process';

/** Opens a page in the user's browser, which outlives this process. */
export function openInBrowser(url: string): void {
  const [command, ...args] = opener(process.platform);
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
  child.once('error', () => console.error(`mailcap: no browser could be started; the page is ${url}`));
  child.unref();
}

function opener(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // start takes its first quoted argument for a window title.
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
}
