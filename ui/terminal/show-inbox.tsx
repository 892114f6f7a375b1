import { constants } from 'node:os';
import type { ReadStream, WriteStream } from 'node:tty';
import { render } from 'ink';
import { after } from '../../src/client/environment.ts';
import { copyText } from '../../src/clipboard.ts';
import { attachmentsIn, saidDirectory, saveInDirectory } from './save-attachment.ts';
import { type Terminal, TerminalScreen } from './screen.ts';
import { Shell, type ShellOptions } from './shell/shell.ts';
import { createStyle, paletteOf } from './text/style.ts';
import { App } from './views/App.tsx';

export interface ShowOptions extends Omit<ShellOptions, 'machine'> {
  readonly stdin: ReadStream;
  readonly stdout: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. Attachments are saved in a directory of their own in it. */
  readonly directory: string;
  readonly browse: (url: string, failed: () => void) => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Shows the inbox until the reader quits or a signal arrives, and returns the exit code. It restores the terminal in
 * every case.
 */
export async function showInbox(options: ShowOptions): Promise<number> {
  const { stdin, stdout, env, browse } = options;
  const directory = attachmentsIn(options.directory);
  const screen = new TerminalScreen(stdin, stdout, createStyle(paletteOf(env)));
  const shell: Shell = new Shell({
    ...options,
    machine: {
      copy: (text) => copyText(text, { env, tell: (sequence) => screen.tell(sequence), after }),
      browse: (url) =>
        browse(url, () =>
          shell.give({
            is: 'notice',
            notice: { text: `The browser could not be opened. The page is ${url}`, tone: 'bad' },
          }),
        ),
      directory: saidDirectory(directory, env['HOME']),
      save: (name, bytes) => saveInDirectory(directory, name, bytes),
    },
  });
  let code = 0;
  const stops = SIGNALS.map((signal) => {
    const stop = () => {
      code = 128 + constants.signals[signal];
      shell.stop();
    };
    process.on(signal, stop);
    return () => process.off(signal, stop);
  });
  // The terminal is restored before Node prints a fatal error, and on every other exit.
  process.on('uncaughtExceptionMonitor', screen.leave);
  process.on('exit', screen.leave);
  // The terminal was closed.
  stdout.on('error', () => shell.stop());
  screen.enter();
  const { waitUntilExit, unmount } = render(<App shell={shell} screen={screen} />, {
    stdin,
    // Ink only writes frames to this stream and reads its size. The screen implements exactly that.
    stdout: screen as unknown as WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const crashed = waitUntilExit();
  try {
    shell.start();
    await Promise.race([shell.quit, crashed]);
  } finally {
    shell.stop();
    unmount();
    screen.leave();
    for (const off of stops) off();
    process.off('uncaughtExceptionMonitor', screen.leave);
    process.off('exit', screen.leave);
  }
  return code;
}
