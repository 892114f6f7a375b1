import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { createTransport } from 'nodemailer';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { startCapture } from './capture.ts';
import { eventually, test } from './fixtures.ts';
import { Wire } from './wire.ts';

const TO = 'a@inbox.mailcap.example.com';
const CONTENT = 'Subject: x\r\n\r\nbody';
const PLAIN = `AUTH PLAIN ${Buffer.from('\0inbox\0any').toString('base64')}`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailcap-tls-'));
});
afterAll(() => rm(directory, { recursive: true }));

function certificateOf(wire: Wire): X509Certificate {
  const certificate = wire.socket instanceof TLSSocket ? wire.socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined) throw new Error('no certificate');
  return certificate;
}

/** Returns the extensions that EHLO offers. */
async function offered(port: number): Promise<string> {
  const wire = await Wire.open(port);
  const offer = await wire.say('EHLO client.test');
  wire.close();
  return offer;
}

describe('--starttls', () => {
  test('auto does not offer STARTTLS with a certificate that clients would refuse, and offers AUTH in the clear; a client that asks gets TLS', async ({
    start,
  }) => {
    const capture = await start();
    expect(await offered(capture.port)).not.toMatch(/STARTTLS/);
    expect(await offered(capture.port)).toMatch(/AUTH PLAIN LOGIN/);
    const wire = await Wire.hello(capture.port);
    await wire.startTls();
    expect(await wire.say('EHLO client.test')).toMatch(/^250/);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    wire.close();
  });

  test('on offers the self-signed certificate too', async ({ start }) => {
    const capture = await start({ config: { starttls: 'on' } });
    expect(await offered(capture.port)).toMatch(/250[- ]STARTTLS/);
  });

  test('off offers nothing, answers STARTTLS with 502, and accepts mail', async ({ start }) => {
    const capture = await start({ config: { starttls: 'off' } });
    expect(await offered(capture.port)).not.toMatch(/STARTTLS/);
    const wire = await Wire.hello(capture.port);
    expect(await wire.say('STARTTLS')).toMatch(/^502 5\.5\.1 /);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    wire.close();
  });
});

describe('the TLS port', () => {
  test('has TLS from the first byte, then the greeting; the facts have it, and there is no STARTTLS', async ({
    start,
  }) => {
    const capture = await start();
    const { port } = await capture.server.listenWithTls(0, '127.0.0.1');
    const wire = await Wire.openWithTls(port);
    expect(await wire.reply()).toMatch(/^220 /);
    expect(await wire.say('EHLO client.test')).not.toMatch(/STARTTLS/);
    expect(await wire.say('STARTTLS')).toMatch(/^503 /);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    const [message] = await capture.messages(capture.inbox);
    if (message === undefined) throw new Error('no message');
    expect((await capture.facts(message)).tls).toMatchObject({ protocol: 'TLSv1.3' });
    wire.close();
  });

  test('survives a client that does not speak TLS, and closes with the server whatever stage its clients are at', async () => {
    const capture = await startCapture();
    const { port } = await capture.server.listenWithTls(0, '127.0.0.1');
    const confused = await Wire.open(port, false);
    confused.write('EHLO client.test\r\n');
    await confused.ended();
    const silent = await Wire.open(port, false);
    const secure = await Wire.openWithTls(port);
    await secure.reply();
    const closing = performance.now();
    await capture.close(300);
    expect(performance.now() - closing).toBeLessThan(30_000);
    await expect(Wire.open(port, false)).rejects.toThrow('ECONNREFUSED');
    await secure.ended();
    silent.close();
  });

  unless(test, ofOneServer('its log'))(
    'a client with TLS 1.1 or older gets an error that names the version, and the log has it once',
    async ({ start }) => {
      const capture = await start();
      const { port } = await capture.server.listenWithTls(0, '127.0.0.1');
      for (const maxVersion of ['TLSv1', 'TLSv1.1'] as const) {
        const old = {
          minVersion: 'TLSv1',
          maxVersion,
          ciphers: 'DEFAULT@SECLEVEL=0',
          rejectUnauthorized: false,
        } as const;
        const socket = connectTls({ port, host: '127.0.0.1', ...old });
        const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
        expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
      }
      const told = () => capture.logged.filter(({ message }) => message.includes('speaks only TLS 1.1 or older'));
      await eventually(() => expect(told()).toHaveLength(1));
    },
  );

  unless(test, ofOneServer('its log'))(
    'a client that begins with TLS on the other port is disconnected, and the log names the right port, once',
    async ({ start }) => {
      const capture = await start({ config: { smtpsPort: 2465 } });
      for (let n = 0; n < 2; n++) await expect(Wire.openWithTls(capture.port)).rejects.toThrow();
      const hints = capture.logged.filter(({ message }) => message.includes('use port 2465'));
      expect(hints).toHaveLength(1);
    },
  );
});

describe('STARTTLS', () => {
  test('is followed by AUTH and mail, whose facts have protocol, cipher and user', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    await wire.startTls();
    expect(await wire.say('EHLO again.test')).not.toMatch(/STARTTLS/);
    expect(await wire.say(PLAIN)).toMatch(/^235 2\.7\.0 /);
    expect(await wire.mail('x@example.com', CONTENT)).toMatch(/^250 /);
    const [message] = await capture.messages(capture.inbox);
    if (message === undefined) throw new Error('no message');
    const facts = await capture.facts(message);
    expect(facts).toMatchObject({ helo: 'again.test', user: 'inbox' });
    expect(facts.tls).toEqual({ protocol: 'TLSv1.3', cipher: expect.stringMatching(/^TLS_/) });
    wire.close();
  });

  unless(test, ofOneServer('its certificate'))(
    'shows a self-signed certificate for localhost and the mail domain, the same to every client',
    async ({ start }) => {
      const capture = await start();
      const wires = await Promise.all([Wire.hello(capture.port), Wire.hello(capture.port)]);
      await Promise.all(wires.map((wire) => wire.startTls()));
      const [one, other] = wires.map(certificateOf);
      expect(one?.fingerprint256).toBe(other?.fingerprint256);
      for (const name of ['localhost', 'mailcap.example.com', 'shop.mailcap.example.com'])
        expect(one?.checkHost(name)).toBeDefined();
      expect(one?.checkIP('127.0.0.1')).toBeDefined();
      for (const wire of wires) wire.close();
    },
  );

  test('forgets HELO, sign-in and envelope from before', async ({ start }) => {
    const capture = await start();
    const shop = await capture.addMailbox('shop');
    const wire = await Wire.hello(capture.port);
    await wire.sayAll(PLAIN.replace(/\S+$/, Buffer.from('\0shop\0any').toString('base64')), 'MAIL FROM:<a@x.test>');
    await wire.startTls();
    expect(await wire.say('MAIL FROM:<a@x.test>')).toMatch(/^503 5\.5\.1 /);
    await wire.say('EHLO again.test');
    await wire.mail('x@example.com', CONTENT);
    expect(await capture.messages(shop)).toEqual([]);
    expect(await capture.messages(capture.inbox)).toHaveLength(1);
    wire.close();
  });

  test('ignores commands that came with it in the clear', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    await wire.startTls('STARTTLS\r\nEHLO evil.test\r\nMAIL FROM:<evil@x.test>\r\n');
    // A server that kept the earlier commands would answer them first.
    expect(await wire.say('NOOP')).toBe('250 2.0.0 OK');
    expect(await wire.say('RCPT TO:<a@inbox.mailcap.example.com>')).toMatch(/^503 5\.5\.1 /);
    wire.close();
  });

  test('twice, or with an argument, is refused', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    expect(await wire.say('STARTTLS now')).toMatch(/^501 5\.5\.4 /);
    await wire.startTls();
    await wire.say('EHLO c.test');
    expect(await wire.say('STARTTLS')).toMatch(/^503 5\.5\.1 /);
    wire.close();
  });

  test('without a TLS handshake ends the connection, and the server goes on', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    await wire.say('STARTTLS');
    wire.write('this is not a handshake, this is not a handshake, this is not a handshake\r\n');
    await wire.ended();
    const next = await Wire.hello(capture.port);
    expect(await next.mail(TO, CONTENT)).toMatch(/^250 /);
    next.close();
  });

  test('a client that is silent in the handshake does not outlive close', async () => {
    const capture = await startCapture();
    const wire = await Wire.hello(capture.port);
    await wire.say('STARTTLS');
    await capture.close(50);
    wire.close();
  });
});

unless(test, ofOneServer('its log'))(
  'the log names each kind of client that does not trust the certificate once',
  async ({ start }) => {
    const capture = await start();
    const { port } = await capture.server.listenWithTls(0, '127.0.0.1');
    const hints = () =>
      capture.logged.filter(({ message }) =>
        message.includes('it probably does not trust the self-signed certificate'),
      );
    for (const name of ['one.test', 'one.test', 'other.test']) {
      const wire = await Wire.open(capture.port);
      await wire.say(`EHLO ${name}`);
      await expect(wire.startTls('STARTTLS\r\n', true)).rejects.toThrow(/self-signed/);
      wire.close();
    }
    for (let n = 0; n < 2; n++) await expect(Wire.openWithTls(port, true)).rejects.toThrow(/self-signed/);
    await eventually(() => expect(capture.server.connections).toBe(0));
    await eventually(() => expect(hints()).toHaveLength(3));
    expect(hints().map(({ fields }) => fields)).toMatchObject([
      { client: 'one.test' },
      { client: 'other.test' },
      { client: null },
    ]);
  },
);

describe('the self-signed certificate', () => {
  test('is trusted under localhost and 127.0.0.1 by a client that is given tls.pem', async ({ start }) => {
    const config = { ephemeral: false, dataDir: join(directory, 'trusted') };
    const capture = await start({ config });
    const { port } = await capture.server.listenWithTls(0, '127.0.0.1');
    const path = await capture.server.tls.prepare();
    expect(path).toBe(join(config.dataDir, 'tls.pem'));
    const ca = await readFile(path ?? '', 'utf8');
    for (const host of ['localhost', '127.0.0.1']) {
      const transport = createTransport({ host, port, secure: true, tls: { ca, servername: isIP(host) ? '' : host } });
      await transport.sendMail({ from: 'a@x.test', to: TO, text: 'x' });
      transport.close();
    }
    expect(await capture.messages(capture.inbox)).toHaveLength(2);
  });

  test('is replaced if it does not cover a new mail domain', async ({ start }) => {
    const config = { ephemeral: false, dataDir: join(directory, 'renamed') };
    await (await start({ config })).server.tls.prepare();
    await (await start({ config: { ...config, mailDomain: 'other.test' } })).server.tls.prepare();
    const certificate = new X509Certificate(await readFile(join(config.dataDir, 'tls.pem')));
    expect(certificate.checkHost('shop.other.test')).toBeDefined();
  });

  test('of a server that keeps its state is kept in tls.pem, mode 0600, and shown again after a restart', async ({
    start,
  }) => {
    const config = { ephemeral: false, dataDir: join(directory, 'kept') };
    const prints: string[] = [];
    for (let run = 0; run < 2; run++) {
      const capture = await start({ config });
      const wire = await Wire.hello(capture.port);
      await wire.startTls();
      prints.push(certificateOf(wire).fingerprint256);
      wire.close();
      await capture.close();
    }
    expect(prints[0]).toBe(prints[1]);
    expect((await stat(join(config.dataDir, 'tls.pem'))).mode & 0o777).toBe(0o600);
  });

  test('is replaced if its file is incomplete', async ({ start }) => {
    const config = { ephemeral: false, dataDir: join(directory, 'torn') };
    const first = await start({ config });
    const wire = await Wire.hello(first.port);
    await wire.startTls();
    wire.close();
    const file = join(config.dataDir, 'tls.pem');
    await chmod(file, 0o644);
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 200));
    const second = await start({ config });
    const again = await Wire.hello(second.port);
    await again.startTls();
    expect(certificateOf(again).checkHost('localhost')).toBeDefined();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    again.close();
  });

  test('is not created before it is needed', async ({ start }) => {
    const config = { ephemeral: false, dataDir: join(directory, 'unused') };
    const capture = await start({ config });
    const wire = await Wire.hello(capture.port);
    await wire.mail(TO, CONTENT);
    await expect(stat(join(config.dataDir, 'tls.pem'))).rejects.toThrow('ENOENT');
    wire.close();
  });
});

describe('--tls-cert and --tls-key', () => {
  let tlsCert: string;
  let tlsKey: string;
  beforeAll(async () => {
    const made = await generate([{ name: 'commonName', value: 'given.test' }], { keyType: 'ec', algorithm: 'sha256' });
    tlsCert = join(directory, 'cert.pem');
    tlsKey = join(directory, 'key.pem');
    await writeFile(tlsCert, made.cert);
    await writeFile(tlsKey, made.private);
  });

  test('are the certificate that clients get, and STARTTLS is offered', async ({ start }) => {
    const capture = await start({ config: { tlsCert, tlsKey } });
    expect(await offered(capture.port)).toMatch(/250[- ]STARTTLS/);
    expect(await capture.server.tls.prepare()).toBe(tlsCert);
    const wire = await Wire.hello(capture.port);
    await wire.startTls();
    expect(certificateOf(wire).subject).toBe('CN=given.test');
    wire.close();
  });

  test('that are of no use stop the start with an error that names the flag and the file', async () => {
    const broken = join(directory, 'broken.pem');
    await writeFile(broken, 'no PEM');
    const other = join(directory, 'other-key.pem');
    await writeFile(other, (await generate([], { keyType: 'ec', algorithm: 'sha256' })).private);
    const cases = [
      [{ tlsCert: join(directory, 'missing.pem'), tlsKey }, /--tls-cert: .*missing\.pem/],
      [{ tlsCert, tlsKey: join(directory, 'missing.pem') }, /--tls-key: .*missing\.pem/],
      [{ tlsCert: broken, tlsKey }, /--tls-cert: .*broken\.pem/],
      [{ tlsCert, tlsKey: broken }, /--tls-key: .*broken\.pem/],
      [{ tlsCert, tlsKey: other }, /--tls-key: .*other-key\.pem/],
      [{ tlsCert }, /--tls-key/],
      [{ tlsKey }, /--tls-cert/],
    ] as const;
    for (const [config, message] of cases) await expect(startCapture({ config })).rejects.toThrow(message);
  });
});
