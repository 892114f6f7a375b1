import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { askMaildev, askMailhog, askMailpit, type Recording } from './ask.ts';
import { offerAll, type Sent } from './mails.ts';

// The real servers, for the programs that compare mailcap with them. None of them is on this machine by itself.

/** A real server: the variable that names its program, how it is started, and the questions to it. */
export interface Peer {
  readonly variable: string;
  /** How its reply to a mail that it keeps begins: Mailpit also answers 250 to some mail that it drops. */
  readonly keeps: string;
  /** The path of the list of all mails. */
  readonly list: string;
  command(program: string, smtp: number, http: number): readonly string[];
  ask(base: string): Promise<{ recording: Recording; ids: readonly string[] }>;
}

export const PEERS: Readonly<Record<string, Peer>> = {
  mailpit: {
    variable: 'MAILPIT',
    keeps: '250 2.0.0 Ok: queued as',
    list: '/api/v1/messages?limit=250',
    command: (program, smtp, http) => [
      program,
      ...['--smtp', `127.0.0.1:${smtp}`, '--listen', `127.0.0.1:${http}`, '--disable-version-check', '--enable-chaos'],
    ],
    ask: askMailpit,
  },
  mailhog: {
    variable: 'MAILHOG',
    keeps: '250',
    list: '/api/v2/messages?limit=250',
    command: (program, smtp, http) => [
      program,
      ...['-smtp-bind-addr', `127.0.0.1:${smtp}`, '-api-bind-addr', `127.0.0.1:${http}`],
      ...['-ui-bind-addr', `127.0.0.1:${http}`, '-hostname', 'mailhog.test'],
    ],
    ask: askMailhog,
  },
  maildev: {
    variable: 'MAILDEV',
    keeps: '250',
    list: '/api/email',
    command: (program, smtp, http) => [
      process.execPath,
      program,
      ...['--ip', '127.0.0.1', '-s', String(smtp), '-w', String(http)],
    ],
    ask: (base) => askMaildev(base, '/api/email'),
  },
  'maildev 2': {
    variable: 'MAILDEV2',
    keeps: '250',
    list: '/email',
    command: (program, smtp, http) => [
      process.execPath,
      program,
      ...['--ip', '127.0.0.1', '-s', String(smtp), '-w', String(http), '--silent'],
    ],
    ask: (base) => askMaildev(base, '/email'),
  },
};

/** Starts a real server, sends it the mails and asks it everything. `taken` are the mails that it keeps. */
export async function askPeer(
  peer: Peer,
  program: string,
  mails: readonly Sent[],
): Promise<{ recording: Recording; ids: readonly string[]; taken: readonly Sent[] }> {
  const [smtp, http] = [await freePort(), await freePort()];
  const [file = '', ...args] = peer.command(program, smtp, http);
  const child = spawn(file, args, {
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: mkdtempSync(join(tmpdir(), 'peer-')) },
  });
  try {
    await listening(smtp);
    await listening(http);
    const offered = await offerAll(smtp, mails);
    const taken = offered.flatMap(({ mail, reply }) => (reply.startsWith(peer.keeps) ? [mail] : []));
    await allThere(peer, `http://127.0.0.1:${http}`, taken.length);
    return { ...(await peer.ask(`http://127.0.0.1:${http}`)), taken };
  } finally {
    child.kill();
  }
}

/** Waits until a port takes connections, 20 s at most. */
async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const taken = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.end());
    });
    if (taken) return;
    await pause();
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** Waits until the server lists all mails: some answer 250 before that. */
async function allThere(peer: Peer, base: string, many: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const list: unknown = await (await fetch(base + peer.list)).json();
    const count = Array.isArray(list) ? list.length : Reflect.get(Object(list), 'total');
    if (count === many) return;
    await pause();
  }
  throw new Error('not all mails came');
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
}
