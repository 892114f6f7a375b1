import { test as base } from 'vitest';
import type { MailcapOptions } from '../../src/index.ts';
import { json, put } from '../http/support.ts';
import { Wire } from '../reading/wire.ts';
import { startServer, type TestMailbox, type TestServer } from '../support/mailcap.ts';

export interface Reached {
  readonly server: TestServer;
  readonly port: number;
  readonly mailbox: TestMailbox;
}

export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
  .extend('start', ({}, { onCleanup }) => {
    const servers: TestServer[] = [];
    onCleanup(async () => {
      for (const server of servers) await server.close();
    });
    return async (options: MailcapOptions = {}): Promise<Reached> => {
      const server = await startServer({ imapPort: 0, ...options });
      servers.push(server);
      return { server, port: portIn(server.ready.imapUrl), mailbox: await server.addMailbox() };
    };
  });

/** A mail with a text, a mail and a file in it. */
export const MULTIPART = [
  'From: =?utf-8?q?Ad=C3=A1?= <ada@x.test>',
  'To: Bob <bob@y.test>, carol@z.test',
  'Subject: Hello "you"',
  'Date: Tue, 3 Feb 2026 10:00:00 +0100',
  'Message-ID: <1@x.test>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="b"',
  '',
  'preamble',
  '--b',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'plain',
  '--inner',
  'Content-Type: text/html',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<b>html</b>',
  '--inner--',
  '--b',
  'Content-Type: message/rfc822',
  '',
  'Subject: within',
  'Content-Type: text/plain',
  '',
  'deep',
  '--b',
  'Content-Type: application/pdf; name="a.pdf"',
  'Content-Disposition: attachment; filename="a.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERg==',
  '--b--',
  '',
].join('\r\n');

export function portIn(url: string | null): number {
  return Number((url ?? '').split(':').at(-1));
}

export async function putRaw({ server, mailbox }: Reached, raw: string): Promise<string> {
  return (await json<{ id: string }>(put(server, mailbox.id, raw))).id;
}

/** A client that gives commands and reads up to their answers. */
export class Client {
  readonly wire: Wire;
  #tag = 0;

  private constructor(wire: Wire) {
    this.wire = wire;
  }

  static async connected(port: number): Promise<Client> {
    return new Client(await Wire.greeted(port));
  }

  /** Signs in to the mailbox, and selects INBOX unless `select` is false. */
  static async open({ port, mailbox }: Reached, select = true): Promise<Client> {
    const client = await Client.connected(port);
    await client.ok(`LOGIN ${mailbox.subdomain} any`);
    if (select) await client.ok('SELECT INBOX');
    return client;
  }

  /** Gives a command and returns the whole answer, with its tag as `x`. */
  async say(command: string): Promise<string> {
    const tag = `t${++this.#tag}`;
    this.wire.write(Buffer.from(`${tag} ${command}\r\n`, 'latin1'));
    return (await this.answer(tag)).replace(`${tag} `, 'x ');
  }

  /** Reads up to the answer with a tag. */
  answer(tag: string): Promise<string> {
    return this.wire.until((text) => {
      const at = text.startsWith(`${tag} `) ? 0 : text.indexOf(`\r\n${tag} `) + 2;
      return at === 1 ? 0 : text.indexOf('\n', at) + 1;
    });
  }

  /** Like `say`, and fails unless the command is accepted. Returns the untagged answers. */
  async ok(command: string): Promise<string> {
    const answer = await this.say(command);
    if (!/^x OK /m.test(answer)) throw new Error(`${command}: ${answer}`);
    return answer.slice(0, answer.indexOf('x OK '));
  }
}
