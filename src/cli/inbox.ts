import type { Arguments } from './command.ts';
import { asUserError, connect, findMailbox } from './connect.ts';
import { openInBrowser } from './open.ts';
import { say } from './output.ts';

/** Runs `mailcap inbox`: the terminal inbox of the server that runs here or at MAILCAP_URL. */
export async function inbox(args: Arguments): Promise<number> {
  // Without a terminal it prints what `mailcap messages list` prints.
  const why = whyNoScreen();
  if (args.isOn('json') || why !== null) {
    const code = await (await import('./mail/messages.ts')).listMessages(args);
    if (!args.isOn('json')) say(`the full-screen inbox can't start, so this is the list: ${why}`);
    return code;
  }
  // React's development build is slower and keeps a record of every frame.
  process.env['NODE_ENV'] ??= 'production';
  const { runInbox } = await import('../../ui/terminal/run-inbox.ts');
  let client = await connect(args);
  const mailbox = args.text('mailbox');
  const openId = mailbox === null ? null : (await findMailbox(client, mailbox)).id;
  return await runInbox({
    // The client is looked up again if the server is gone, because a restarted server may have another address.
    connect: () => {
      const current = client;
      void connect(args).then(
        (next) => (client = next),
        () => {},
      );
      return current;
    },
    openId,
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    directory: process.cwd(),
    browse: (url, failed) => void openInBrowser(url, failed),
    explain: (error) => {
      const said = asUserError(error, args);
      return said instanceof Error ? said.message : String(said);
    },
  });
}

/** Returns the reason why the inbox can't take the screen, and what to do; null if it can. */
function whyNoScreen(): string | null {
  const { stdin, stdout, env } = process;
  const elsewhere = 'run `mailcap inbox` in a terminal.';
  if (!stdout.isTTY) return `standard output is not a terminal; ${elsewhere}`;
  if (!stdin.isTTY) return `standard input is not a terminal; ${elsewhere}`;
  if (env['TERM'] !== 'dumb') return null;
  return 'TERM is dumb; set it to the kind of terminal, as in TERM=xterm-256color.';
}
