import { spawn } from 'node:child_process';
import { after } from '../environment.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * What became of a text that was to be copied. `copied`: a clipboard or tmux took it. `asked`: the terminal was told to (OSC 52),
 * and terminals do not say whether they do. `failed`: there is nothing that could take it.
 */
export type Copied = 'copied' | 'asked' | 'failed';

/** What terminals take at most. */
const MAX_OSC_BYTES = 74_000;
/** A program that runs for longer stays to serve the selection. */
const SERVING_AFTER_MS = 1_500;

/** The sequence that asks a terminal to copy a text (OSC 52), also through ssh; null where it is too long for one. */
export function osc52(text: string): string | null {
  const encoded = Buffer.from(text).toString('base64');
  return encoded.length > MAX_OSC_BYTES ? null : `\u001b]52;c;${encoded}\u0007`;
}

/**
 * Copies a text: by a clipboard program of this machine, by tmux, else by the terminal. `tell` writes to the terminal;
 * null where there is none. Never rejects.
 */
export async function copyText(
  text: string,
  env: Env,
  tell: ((sequence: string) => void) | null,
  platform: NodeJS.Platform = process.platform,
): Promise<Copied> {
  const isRemote = Boolean(env['SSH_CONNECTION'] || env['SSH_TTY']);
  const [programs, tmux] = [clipboards(env, platform), env['TMUX'] ? TMUX : []];
  // Who sits at the other end of ssh has the terminal's clipboard, not this machine's.
  const byProgram = await copyByProgram(isRemote ? [...tmux, ...programs] : [...programs, ...tmux], text, env);
  if (byProgram && (!isRemote || env['TMUX'])) return 'copied';
  const sequence = osc52(text);
  const isKnown = takesOsc52(env);
  const isAsked = tell !== null && sequence !== null && (isKnown || !DEAF.test(env['TERM'] ?? ''));
  if (isAsked) tell(sequence);
  if (isAsked && isKnown) return 'copied';
  if (byProgram) return 'copied';
  return isAsked ? 'asked' : 'failed';
}

/** The same words wherever something is copied. `what` is "the code" and the like. */
export function saidCopied(copied: Copied, what: string, text: string): string {
  const shown = text.length <= 40 ? `: ${text}` : '';
  switch (copied) {
    case 'copied':
      return `Copied ${what}${shown}`;
    case 'asked':
      return `Asked the terminal to copy ${what}: ${text}`;
    case 'failed':
      return `Could not copy ${what}: ${text}`;
  }
}

type Program = readonly [command: string, ...args: string[]];

/** `-w` hands it on to the terminal around tmux, and is not known before tmux 3.2. */
const TMUX: readonly Program[] = [
  ['tmux', 'load-buffer', '-w', '-'],
  ['tmux', 'load-buffer', '-'],
];

/** Terminals that show no sign of knowing it: a console, and what is none. */
const DEAF = /^(?:dumb|linux|vt\d+|unknown|)$/;

/** Terminals that copy what OSC 52 says unless they are told not to. */
function takesOsc52(env: Env): boolean {
  const { TERM = '', TERM_PROGRAM = '' } = env;
  if (/^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour|rio)/.test(TERM)) return true;
  return /^(?:WezTerm|ghostty|vscode|rio|mintty|Hyper)$/.test(TERM_PROGRAM) || Boolean(env['WT_SESSION']);
}

function clipboards(env: Env, platform: NodeJS.Platform): readonly Program[] {
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32') return [['clip']];
  const wayland = [['wl-copy']] as const;
  const x11 = [
    ['xclip', '-selection', 'clipboard'],
    ['xsel', '--clipboard', '--input'],
  ] as const;
  return [...(env['WAYLAND_DISPLAY'] ? wayland : []), ...(env['DISPLAY'] ? x11 : [])];
}

/** Hands a text to the first program that takes it. */
async function copyByProgram(programs: readonly Program[], text: string, env: Env): Promise<boolean> {
  for (const [command, ...args] of programs) if (await feed(command, args, text, env)) return true;
  return false;
}

/** Whether a program took a text: it ended well, or is still there to serve it. */
function feed(command: string, args: readonly string[], text: string, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], env: { ...env } });
    const settle = (took: boolean) => {
      callOff();
      resolve(took);
    };
    const callOff = after(SERVING_AFTER_MS, () => settle(true));
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.stdin.once('error', () => settle(false));
    child.stdin.end(text);
    child.unref();
  });
}
