import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Client, portIn } from '../imap/support.ts';
import { senderTo } from '../postgres/servers.ts';
import { type Served, serve } from './served.ts';

/** What a client keeps of a mailbox: the UIDVALIDITY, the next UID, and the subject of each UID. */
async function kept({ ready }: Served): Promise<{ validity: string; next: string; subjects: string[] }> {
  const client = await Client.connected(portIn(ready.imapUrl));
  await client.ok('LOGIN inbox any');
  const opened = await client.say('SELECT INBOX');
  const found = await client.ok('UID FETCH 1:* BODY.PEEK[HEADER.FIELDS (SUBJECT)]');
  client.wire.close();
  return {
    validity: /UIDVALIDITY (\d+)/.exec(opened)?.[1] ?? '',
    next: /UIDNEXT (\d+)/.exec(opened)?.[1] ?? '',
    subjects: [...found.matchAll(/UID (\d+) .*\r\nSubject: (.*)\r/g)].map(([, uid, subject]) => `${uid} ${subject}`),
  };
}

async function expunge({ ready }: Served, set: string): Promise<void> {
  const client = await Client.connected(portIn(ready.imapUrl));
  await client.ok('LOGIN inbox any');
  await client.ok('SELECT INBOX');
  await client.ok(`UID STORE ${set} +FLAGS.SILENT (\\Deleted)`);
  await client.ok('EXPUNGE');
  client.wire.close();
}

test('UIDs and UIDVALIDITY last over restarts, kills and deletions, and none is used again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-uids-'));
  let served = await serve(directory, '--imap-port', '0');
  onTestFinished(async () => {
    await served.end('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });
  const send = async (...subjects: string[]) => {
    const sender = senderTo(served, 1);
    for (const subject of subjects) await sender.send(subject, 'a@inbox.mailcap.example.com');
    sender.close();
  };
  await send('one', 'two', 'three', 'four');
  const first = await kept(served);
  expect(first).toMatchObject({ next: '5', subjects: ['1 one', '2 two', '3 three', '4 four'] });
  // The newest goes as well: only what the mailbox ever held tells the next UID.
  await expunge(served, '2,4');
  const left = { validity: first.validity, next: '5', subjects: ['1 one', '3 three'] };
  expect(await kept(served)).toEqual(left);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await served.end(signal);
    served = await serve(directory, '--imap-port', '0');
    expect(await kept(served), signal).toEqual(left);
  }
  await send('five');
  const { ready } = served;
  const clear = { method: 'DELETE', headers: { authorization: `Bearer ${ready.apiKey}` } };
  expect((await fetch(`${ready.url}/_mailcap/mailboxes/${ready.mailboxId}/messages`, clear)).ok).toBe(true);
  await served.end('SIGKILL');
  served = await serve(directory, '--imap-port', '0');
  await send('six');
  expect(await kept(served)).toEqual({ validity: first.validity, next: '7', subjects: ['6 six'] });
});
