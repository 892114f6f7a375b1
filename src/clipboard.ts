import { spawn } from 'node:child_process';

type Env = Readonly<Record<string, string | undefined>>;

/** The ports through which a copy reaches the programs, the terminal and the clock. */
export interface CopyOptions {
  readonly env: Env;
  /** Writes to the terminal. Null if there is none. */
  readonly tell: ((sequence: string) => void) | null;
  /** Calls `act` once after a delay. The returned function cancels it. */
  readonly after: (ms: number, act: () => void) => () => void;
  readonly platform?: NodeJS.Platform;
}

/**
 * The result of a copy. `copied`: a clipboard program or tmux took the text. `asked`: the terminal received OSC 52,
 * which it does not confirm. `failed`: nothing could take the text.
 */
export type CopyResult = 'copied' | 'asked' | 'failed';

/** The largest OSC 52 payload that terminals accept. */
const MAX_OSC_BYTES = 74_000;
/** A clipboard program that runs longer than this serves the selection and counts as successful. */
const SERVING_AFTER_MS = 1_500;

/**
 * Returns the OSC 52 sequence that makes a terminal copy a text, also through ssh. Returns null if the text is too
 * long.
 */
export function osc52(text: string): string | null {
  const encoded = Buffer.from(text).toString('base64');
  return encoded.length > MAX_OSC_BYTES ? null : `\u001b]52;c;${encoded}\u0007`;
}

/** Copies a text with a clipboard program of this machine, with tmux, or else with the terminal. Never rejects. */
export async function copyText(text: string, options: CopyOptions): Promise<CopyResult> {
  const { env, tell, platform = process.platform } = options;
  const isRemote = Boolean(env['SSH_CONNECTION'] || env['SSH_TTY']);
  const [programs, tmux] = [clipboards(env, platform), env['TMUX'] ? TMUX : []];
  // Over ssh, the reader's clipboard belongs to the terminal and not to this machine.
  const byProgram = await copyByProgram(isRemote ? [...tmux, ...programs] : [...programs, ...tmux], text, options);
  if (byProgram && (!isRemote || env['TMUX'])) return 'copied';
  const sequence = osc52(text);
  const isKnown = takesOsc52(env);
  const isAsked = tell !== null && sequence !== null && (isKnown || !DEAF.test(env['TERM'] ?? ''));
  if (isAsked) tell(sequence);
  if (isAsked && isKnown) return 'copied';
  if (byProgram) return 'copied';
  return isAsked ? 'asked' : 'failed';
}

/** Returns the notice for a copy. `what` names the text, such as "the code". */
export function saidCopied(copied: CopyResult, what: string, text: string): string {
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

/** The option `-w` passes the text on to the outer terminal. It needs tmux 3.2. */
const TMUX: readonly Program[] = [
  ['tmux', 'load-buffer', '-w', '-'],
  ['tmux', 'load-buffer', '-'],
];

/** Values of TERM that show that OSC 52 does nothing, such as the Linux console. */
const DEAF = /^(?:dumb|linux|vt\d+|unknown|)$/;

/** Returns whether the terminal handles OSC 52 by default. */
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

/** Passes a text to the first clipboard program that accepts it. */
async function copyByProgram(programs: readonly Program[], text: string, options: CopyOptions): Promise<boolean> {
  for (const [command, ...args] of programs) if (await feed(command, args, text, options)) return true;
  return false;
}

/** Runs a clipboard program. Resolves to true if it exits with 0, or if it still runs to serve the selection. */
function feed(command: string, args: readonly string[], text: string, { env, after }: CopyOptions): Promise<boolean> {
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
