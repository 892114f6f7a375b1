import { render } from 'ink-testing-library';
import { expect, onTestFinished } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import type { Screen } from '../../../ui/terminal/screen.ts';
import type { TerminalMachine } from '../../../ui/terminal/shell/backend.ts';
import { openBackend } from '../../../ui/terminal/shell/backend.ts';
import { Shell } from '../../../ui/terminal/shell/shell.ts';
import { createStyle, type StylePalette } from '../../../ui/terminal/text/style.ts';
import { App } from '../../../ui/terminal/views/App.tsx';
import { layoutOf } from '../../../ui/terminal/views/layout.ts';
import { startServer, type TestServer } from '../../support/mailcap.ts';

export const ESC = '\u001b';
export const ENTER = '\r';
export const TAB = '\t';

/** The inbox of a real server on a screen of a given size, and a record of what it did on the reader's machine. */
export interface InboxFixture {
  readonly server: TestServer;
  readonly shell: Shell;
  readonly copied: string[];
  readonly browsed: string[];
  readonly saved: { readonly name: string; readonly bytes: Uint8Array }[];
  frame(): string;
  press(...keys: string[]): void;
  resize(columns: number, rows: number): void;
  /** Waits until the screen shows, or does not show, a text. The number of spaces does not count. */
  shows(text: string | RegExp): Promise<void>;
  showsNo(text: string | RegExp): Promise<void>;
}

export interface DeskOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly palette?: StylePalette;
  readonly server?: TestServer;
  /** The URL that the client uses instead of the server's own. */
  readonly url?: string;
}

export async function openInbox(options: DeskOptions = {}): Promise<InboxFixture> {
  const { columns = 80, rows = 24, palette = 'none' } = options;
  const server = options.server ?? (await startServer());
  if (options.server === undefined) onTestFinished(() => server.close());
  const connect = () => createClient({ baseUrl: options.url ?? server.url, apiKey: server.apiKey });
  const copied: string[] = [];
  const browsed: string[] = [];
  const saved: { name: string; bytes: Uint8Array }[] = [];
  const machine: TerminalMachine = {
    copy: async (text) => {
      copied.push(text);
      return 'copied';
    },
    directory: '~/project',
    browse: (url) => void browsed.push(url),
    save: async (name, bytes) => {
      saved.push({ name, bytes });
      return name;
    },
  };
  const shell = new Shell({ backend: await openBackend(connect()), connect, machine, openId: null });
  const screen = fakeScreen(columns, rows, palette);
  const { lastFrame, stdin, unmount } = render(<App shell={shell} screen={screen} />);
  shell.start();
  onTestFinished(() => {
    shell.stop();
    unmount();
  });
  const frame = () => lastFrame() ?? '';
  const said = () => frame().replace(/ +/g, ' ');
  return {
    ...{ server, shell, copied, browsed, saved, frame },
    press: (...keys) => {
      for (const key of keys) stdin.write(key);
    },
    resize: screen.resize,
    shows: async (text) => {
      await expect.poll(said, { timeout: 10_000 }).toMatch(text);
    },
    showsNo: async (text) => {
      await expect.poll(said, { timeout: 10_000 }).not.toMatch(text);
    },
  };
}

function fakeScreen(columns: number, rows: number, palette: StylePalette) {
  let layout = layoutOf({ columns, rows });
  const listeners = new Set<() => void>();
  return {
    style: createStyle(palette),
    layout: () => layout,
    onResize: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    suspend: () => {},
    resize: (wide: number, high: number) => {
      layout = layoutOf({ columns: wide, rows: high });
      for (const listener of listeners) listener();
    },
  } satisfies Screen & { resize(columns: number, rows: number): void };
}

/** Puts a mail into the inbox mailbox, as SMTP does. */
export async function putMail(server: TestServer, subject: string, more: Mail = {}): Promise<string> {
  const { from = 'App <app@example.com>', body = 'hello', headers = [], mailboxId = server.mailboxId } = more;
  const lines = [`From: ${from}`, `To: ada@inbox.mailcap.example.com`, `Subject: ${subject}`, ...headers, '', body];
  const answer = await server.api(`/_mailcap/mailboxes/${mailboxId}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822' },
    body: lines.join('\r\n'),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id; // the API returns a summary
}

interface Mail {
  readonly from?: string;
  readonly body?: string;
  readonly headers?: readonly string[];
  readonly mailboxId?: string;
}
