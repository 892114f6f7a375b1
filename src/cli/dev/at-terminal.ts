import { SAID, saidReset } from '../../../ui/model/words.ts';
import { createToolClient } from '../../client/client.ts';
import { copyText, saidCopied } from '../../clipboard.ts';
import type { Mailcap } from '../../index.ts';
import { after } from '../clock.ts';
import { heldBy } from '../held.ts';
import { openInBrowser } from '../open.ts';
import { print } from '../output.ts';
import { outputStyles } from '../styles.ts';
import { Hotkeys } from './hotkeys.ts';
import { HOTKEYS } from './keys.ts';
import { MailLines } from './mail-lines.ts';
import { openInbox } from './open-inbox.ts';

/** Shows mail as it comes and handles hotkeys. The returned function ends both. */
export function atTerminal(server: Mailcap, stop: () => void): () => void {
  const { bold, dim } = outputStyles();
  const say = (text: string) => print(`  ${text}`);
  const lines = process.stdout.isTTY ? new MailLines(server) : null;
  const keys = new Hotkeys();

  const showInbox = async () => {
    keys.pause();
    lines?.pause();
    const said = await openInbox(server);
    lines?.resume();
    keys.listen();
    if (said !== null) say(said);
  };
  const reset = async () => {
    const { url: baseUrl, apiKey, adminToken } = server;
    const client = createToolClient({ baseUrl, apiKey, ...(adminToken === null ? {} : { adminToken }) });
    const { url, holds, follows, gone, revived } = await heldBy(client);
    say(bold(`Reset ${url}, which holds ${holds}?`));
    say(`${follows} ${dim('y / n')}`);
    const answer = await keys.next();
    if (answer.toLowerCase() !== 'y') return say(SAID.nothingDeleted);
    await server.reset();
    return say([saidReset(gone ?? 'nothing'), ...(revived === null ? [] : [revived])].join(' '));
  };
  const copy = async () => {
    const code = lines?.lastCode ?? null;
    if (code === null) return say('No mail with a code has come yet.');
    const tell = process.stdout.isTTY ? (said: string) => process.stdout.write(said) : null;
    const copied = await copyText(code, { env: process.env, tell, after });
    return say(`${saidCopied(copied, 'the code', code)}.`);
  };
  const browse = async () => {
    const isOpened = await openInBrowser(server.url, () => {});
    say(isOpened ? `Opened ${server.url} in the browser.` : `No browser could be opened; the page is ${server.url}`);
  };
  const help = () => {
    for (const [key, , does] of HOTKEYS) say(`${bold(key)}  ${does}`);
  };

  keys.on({
    o: browse,
    i: showInbox,
    c: copy,
    r: reset,
    '?': help,
    h: help,
    q: stop,
    '\u0003': stop,
  });
  keys.listen();
  return () => {
    keys.pause();
    lines?.end();
  };
}
