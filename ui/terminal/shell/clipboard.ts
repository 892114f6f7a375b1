import { spawn } from 'node:child_process';

type Env = Readonly<Record<string, string | undefined>>;

/** What terminals take at most. */
const MAX_OSC_BYTES = 74_000;

/** The sequence that asks a terminal to copy a text (OSC 52), also through ssh; null where it is too long for one. */
export function osc52(text: string): string | null {
  const encoded = Buffer.from(text).toString('base64');
  return encoded.length > MAX_OSC_BYTES ? null : `\u001b]52;c;${encoded}\u0007`;
}

/** Into the clipboard, by the terminal and by the machine's own program: either may be the one that the reader sits at. */
export async function copyText(text: string, env: Env, tell: (sequence: string) => void): Promise<void> {
  const sequence = osc52(text);
  if (sequence !== null) tell(sequence);
  await copyByProgram(text, env, process.platform);
}

/** Hands a text to the first clipboard program of this machine that takes it. */
async function copyByProgram(text: string, env: Env, platform: NodeJS.Platform): Promise<void> {
  for (const [command, ...args] of programs(env, platform)) if (await feed(command, args, text)) return;
}

function programs(env: Env, platform: NodeJS.Platform): readonly (readonly [string, ...string[]])[] {
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32') return [['clip']];
  const wayland = [['wl-copy']] as const;
  const x11 = [
    ['xclip', '-selection', 'clipboard'],
    ['xsel', '--clipboard', '--input'],
  ] as const;
  return [...(env['WAYLAND_DISPLAY'] ? wayland : []), ...(env['DISPLAY'] ? x11 : [])];
}

function feed(command: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', () => resolve(false));
    // Some stay to serve the selection: that they took the text is enough.
    child.stdin.once('error', () => resolve(false));
    child.once('spawn', () => child.stdin.end(text, () => resolve(true)));
    child.unref();
  });
}
