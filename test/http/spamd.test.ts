import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { lacking, PATH } from '../support/programs.ts';
import { scriptedSpamd, spamdAnswer } from '../support/scripted-spamd.ts';
import { unless } from '../support/unless.ts';
import { json, mail, put, type Summary } from './support.ts';

interface Checks {
  readonly passed: boolean;
  readonly findings: readonly { readonly rule: string; readonly severity: string; readonly message: string }[];
  readonly notChecked: readonly string[];
  readonly spam: {
    readonly score: number;
    readonly isSpam: boolean;
    readonly rules: readonly { readonly name: string }[];
  } | null;
}

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const HEADER = { Subject: 'Hello', Date: 'Sun, 22 Nov 2026 10:00:00 +0000', 'Message-ID': '<1@shop.example>' };

async function checksOf(server: TestServer, text: string, query = ''): Promise<Checks> {
  const { id } = await json<Summary>(put(server, server.mailboxId, mail(HEADER, text)));
  return json<Checks>(server.api(`/_mailcap/messages/${id}/checks${query}`));
}

const aboutSpam = ({ findings }: Checks) => findings.filter(({ rule }) => rule.startsWith('spam'));

describe('with a daemon', () => {
  test('spam fails the checks, with the most expensive rules first', async () => {
    const rules = [' 1.5 LESS           Less', ' 4.0 MORE           More', '-0.5 GOOD           Good'];
    await using daemon = await scriptedSpamd((socket) => socket.end(spamdAnswer('True ; 5.0 / 5.0', rules)));
    await using server = await startServer({ spamd: daemon.address });
    const checks = await checksOf(server, 'Hello Ada.');
    expect(checks).toMatchObject({ passed: false, notChecked: [], spam: { score: 5, threshold: 5, isSpam: true } });
    expect(aboutSpam(checks)).toMatchObject([
      {
        rule: 'spam-score',
        severity: 'warning',
        message: 'SpamAssassin gives the mail 5 points; it is spam from 5 points on: MORE 4, LESS 1.5.',
      },
    ]);
    expect(await checksOf(server, 'Hello Ada.', '?allow=spam-score')).toMatchObject({ passed: true, allowed: 1 });
  });

  test('a score below the threshold is a note, which deny makes a warning, and no points are no finding', async () => {
    let said = spamdAnswer('False ; 1.5 / 5.0', [' 1.5 LESS           Less']);
    await using daemon = await scriptedSpamd((socket) => socket.end(said));
    await using server = await startServer({ spamd: daemon.address });
    const checks = await checksOf(server, 'Hello Ada.');
    expect([checks.passed, aboutSpam(checks).map(({ severity }) => severity)]).toEqual([true, ['note']]);
    expect(await checksOf(server, 'Hello Ada.', '?deny=spam-score')).toMatchObject({ passed: false });
    said = spamdAnswer('False ; -0.5 / 5.0', ['-0.5 GOOD           Good']);
    const good = await checksOf(server, 'Hello Ada.', '?deny=spam-score');
    expect([good.passed, aboutSpam(good), good.spam?.score]).toEqual([true, [], -0.5]);
  });

  test('a dead daemon is reported and fails nothing, unless deny names it', async () => {
    const daemon = await scriptedSpamd(() => {});
    await daemon.close();
    await using server = await startServer({ spamd: daemon.address });
    const checks = await checksOf(server, 'Hello Ada.');
    const why = `There is no spam score: spamd at 127.0.0.1, port ${daemon.port}, can’t be asked (ECONNREFUSED).`;
    expect(checks).toMatchObject({ passed: true, spam: null, notChecked: [why] });
    expect(aboutSpam(checks)).toMatchObject([{ rule: 'spam-unscored', severity: 'note', message: why }]);
    expect(await checksOf(server, 'Hello Ada.', '?deny=spam-unscored')).toMatchObject({ passed: false });
  });
});

test('without a daemon the answer has no score and no note about one', async ({ mailcap, mailbox }) => {
  const { id } = await json<Summary>(put(mailcap, mailbox.id, mail(HEADER, GTUBE)));
  const checks = await json<Checks>(mailcap.api(`/_mailcap/messages/${id}/checks?deny=spam-unscored,spam-score`));
  expect(checks).toMatchObject({ passed: true, spam: null, notChecked: [] });
});

unless(describe, lacking('spamd'))('with Debian’s SpamAssassin', () => {
  let daemon: ChildProcess;
  let port: number;
  const home = mkdtempSync(join(tmpdir(), 'mailcap-spamd-'));

  beforeAll(async () => {
    port = await freePort();
    // The daemon gives up its rights as root, and must still enter its home.
    chmodSync(home, 0o777);
    const user = process.getuid?.() === 0 ? ['--username', 'nobody'] : [];
    const quietly = ['--syslog', 'stderr', '--pidfile', join(home, 'pid'), '--helper-home-dir', home];
    const children = ['--max-children', '2', '--min-children', '1', '--nouser-config'];
    const args = ['--local', '--listen', `127.0.0.1:${port}`, ...user, ...quietly, ...children];
    daemon = spawn('spamd', args, { env: { ...process.env, PATH }, stdio: 'ignore' });
    await vi.waitFor(() => answersOn(port), { timeout: 120_000, interval: 50 });
  }, 130_000);

  afterAll(async () => {
    if (daemon.exitCode === null && daemon.kill('SIGTERM')) await once(daemon, 'exit');
    rmSync(home, { recursive: true, force: true });
  });

  test('the test text for spam filters is spam by its rule, and a plain mail is none', async () => {
    await using server = await startServer({ spamd: `127.0.0.1:${port}` });
    const spam = await checksOf(server, GTUBE);
    expect(spam).toMatchObject({ passed: false, notChecked: [], spam: { threshold: 5, isSpam: true } });
    expect(spam.spam?.score).toBeGreaterThan(999);
    expect(spam.spam?.rules).toContainEqual(expect.objectContaining({ name: 'GTUBE', points: 1000 }));
    expect(aboutSpam(spam)[0]?.message).toMatch(
      /^SpamAssassin gives the mail 1\d{3}(\.\d)? points; it is spam from 5 points on: GTUBE 1000/,
    );
    const plain = await checksOf(server, 'Hello Ada, your order has been sent today.');
    expect(plain).toMatchObject({ passed: true, notChecked: [], spam: { isSpam: false } });
  });
});

async function answersOn(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
