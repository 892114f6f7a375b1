import { spawn } from 'node:child_process';

/** Opens a page in the user's browser, which outlives this process. `failed` is told where none could be started. */
export function openInBrowser(
  url: string,
  failed = () => console.error(`mailcap: no browser could be started; the page is ${url}`),
): void {
  const [command, ...args] = opener(process.platform);
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
  child.once('error', failed);
  child.unref();
}

function opener(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // cmd's start would take an & of the URL for a command of its own.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
