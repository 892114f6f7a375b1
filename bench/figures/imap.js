import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPostgres, startPostgres } from '../cluster.js';
import { sendMail } from '../load.js';
import { checkStored } from '../mailbox.js';
import { runClient } from '../processes.js';
import { notRun, row, told } from '../results.js';
import { findDovecot, startDovecot, startMailcap } from '../servers.js';
import { median, number, percentile, spread } from '../statistics.js';

// This figure measures how fast a large mailbox is read over IMAP, beside Dovecot with a Maildir.

const client = fileURLToPath(new URL('../clients/imap.js', import.meta.url));
const title = 'A large mailbox over IMAP';
const BYTES = 1_000;

const commands = (messages) => [
  ...Array(5).fill(['select', 'SELECT INBOX']),
  ...Array(2).fill(['envelopes', 'FETCH 1:* (UID FLAGS ENVELOPE)']),
  ['flags', 'UID FETCH 1:* (FLAGS)'],
  ['since', 'UID SEARCH SINCE 1-Jan-2020 UNSEEN'],
  ['uids', `UID SEARCH UID ${messages / 2}:${messages / 2 + 100} UNSEEN`],
];

export const imap = {
  name: 'imap',
  title,
  tools: ['smtp-source'],
  peers: false,
  async run({ runs, quick, say }) {
    const messages = quick ? 20_000 : 100_000;
    const rows = [];
    const stores = [{ name: 'file store', args: [] }];
    const cluster = findPostgres() === null ? null : await startPostgres();
    try {
      if (cluster !== null) stores.push({ name: 'PostgreSQL', args: ['--store', await cluster.database()] });
      else rows.push(notRun(`${title}: PostgreSQL`, 'needs initdb (Debian package postgresql)'));
      const results = new Map();
      const ofPeer = findDovecot() === null ? null : await repeat(runs, () => readDovecot(messages));
      if (ofPeer === null) rows.push(notRun(`${title}: Dovecot`, 'needs dovecot (Debian package dovecot-imapd)'));
      else say('Dovecot');
      for (const { name, args } of stores) {
        results.set(name, await readMailcap(runs, messages, args));
        say(name);
      }
      for (const [name, measured] of results) rows.push(...rowsOf(name, measured, messages, ofPeer));
    } finally {
      await cluster?.stop();
    }
    return {
      rows,
      notes: [
        `IMAP: a mailbox of ${number(messages)} mails of about ${number(BYTES)} bytes, read by one client in a process of its own; Dovecot is Debian's with a Maildir, plain IMAP and one user, warmed up by a first SELECT that makes its index.`,
      ],
    };
  },
};

async function repeat(runs, act) {
  const results = [];
  for (let run = 0; run < runs; run++) results.push(await act());
  return results;
}

async function readMailcap(runs, messages, args) {
  const server = await startMailcap({ args: ['--imap-port', '0', ...args] });
  try {
    await sendMail({ port: server.smtpPort, sessions: 50, messages, bytes: BYTES, reuse: true });
    await checkStored(server, messages);
    const port = Number(server.imapUrl.split(':').at(-1));
    const settings = { port, user: 'inbox', password: 'x', commands: commands(messages) };
    return await repeat(runs, () => runClient(client, { ...settings, smtpPort: server.smtpPort, mails: 100 }));
  } finally {
    await server.stop();
  }
}

async function readDovecot(messages) {
  const server = await startDovecot((directory) => fillMaildir(directory, messages));
  try {
    const settings = { port: server.port, user: 'inbox', password: 'x' };
    await runClient(client, { ...settings, commands: [['select', 'SELECT INBOX']] });
    return await runClient(client, { ...settings, commands: commands(messages) });
  } finally {
    await server.stop();
  }
}

function fillMaildir(directory, messages) {
  for (const name of ['cur', 'new', 'tmp']) mkdirSync(join(directory, name), { recursive: true });
  const body = `${'X'.repeat(70)}\n`.repeat(Math.ceil(BYTES / 71));
  for (let at = 1; at <= messages; at++) {
    const header = `Received: by bench\nFrom: <sender@app.test>\nTo: <bench@inbox.mailcap.example.com>\nDate: Thu, 5 Feb 2026 10:00:00 +0000\nMessage-Id: <${at}@bench>\n`;
    writeFileSync(join(directory, 'cur', `${1_770_000_000 + at}.${at}.bench:2,`), `${header}\n${body}`);
  }
}

function rowsOf(name, measured, messages, ofPeer) {
  const all = (results, what) => results.flatMap(({ ms }) => ms[what]);
  const rate = (results, what) => all(results, what).map((ms) => (messages / ms) * 1_000);
  const beside = (text) => (ofPeer === null ? '' : `; Dovecot ${text}`);
  const size = number(messages);
  // Envelopes are kept for a minute, so only those of the first run are made for it.
  const [first, ...again] = rate(measured, 'envelopes');
  const idle = measured.map(({ idle: ms }) => percentile(ms, 99));
  return [
    row({
      figure: `SELECT of a mailbox of ${size}, ${name}`,
      value: median(all(measured, 'select')),
      unit: ' ms',
      digits: 0,
      atMost: 100,
      absolute: `${spread(all(measured, 'select'))} ms${beside(`${ofPeer && spread(all(ofPeer, 'select'))} ms`)}`,
    }),
    row({
      figure: `FETCH of ${size} envelopes, ${name}`,
      value: first,
      unit: '/s',
      digits: 0,
      atLeast: 20_000,
      absolute: `${number(first)}/s${beside(`${ofPeer && spread(rate(ofPeer, 'envelopes'))}/s`)}`,
    }),
    told({
      figure: `FETCH of ${size} envelopes again, ${name}`,
      value: median(again),
      unit: '/s',
      digits: 0,
      absolute: `${spread(again)}/s`,
    }),
    ...['flags', 'since', 'uids'].map((what) =>
      told({
        figure: `${TITLES[what]}, ${name}`,
        value: median(all(measured, what)),
        unit: ' ms',
        digits: 1,
        absolute: `${spread(all(measured, what), 1)} ms${beside(`${ofPeer && spread(all(ofPeer, what), 1)} ms`)}`,
      }),
    ),
    row({
      figure: `From the SMTP 250 to IDLE, p99, ${name}`,
      value: median(idle),
      unit: ' ms',
      atMost: 5,
      absolute: `${spread(idle, 2)} ms`,
    }),
  ];
}

const TITLES = {
  flags: 'FETCH of all UIDs and flags',
  since: 'SEARCH by date and flag, which finds all',
  uids: 'SEARCH in 100 UIDs',
};
