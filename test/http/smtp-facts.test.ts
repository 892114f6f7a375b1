import { createTransport } from 'nodemailer';
import { expect } from 'vitest';
import { type TestServer, test } from '../support/mailcap.ts';
import { json, type Summary } from './support.ts';

// Tests the fields that `get` and the facts return for mail that arrived by SMTP.

async function send(
  server: TestServer,
  mail: Parameters<ReturnType<typeof createTransport>['sendMail']>[0],
): Promise<void> {
  const transport = createTransport({ ...server.smtp, ignoreTLS: true });
  await transport.sendMail(mail);
  transport.close();
}

async function newest(server: TestServer, mailboxId: string): Promise<Record<string, unknown>> {
  const [summary] = await json<Summary[]>(server.api(`/v1/mailboxes/${mailboxId}/messages?limit=1`));
  return json(server.api(`/v1/mailboxes/${mailboxId}/messages/${summary?.id}`));
}

test('bcc has the envelope recipients that are in neither To nor Cc; envelopeFrom and remoteIp are those of the session', async ({
  mailcap,
  mailbox,
}) => {
  const hidden = mailbox.address('Hidden');
  await send(mailcap, {
    from: 'Shop <shop@x.test>',
    to: mailbox.address('to'),
    cc: `Copy <${mailbox.address('CC')}>`,
    bcc: hidden,
    envelope: { from: 'bounce+1@x.test', to: [mailbox.address('to'), mailbox.address('cc'), hidden] },
    text: 'x',
  });
  expect(await newest(mailcap, mailbox.id)).toMatchObject({
    to: mailbox.address('to'),
    bcc: hidden,
    envelopeFrom: 'bounce+1@x.test',
    remoteIp: '127.0.0.1',
    spfResult: 'none',
  });
});

test('the null sender is an empty envelopeFrom', async ({ mailcap, mailbox }) => {
  const envelope = { from: '', to: [mailbox.address()] };
  await send(mailcap, { from: 'mailer-daemon@x.test', to: mailbox.address(), envelope, text: 'x' });
  expect(await newest(mailcap, mailbox.id)).toMatchObject({ envelopeFrom: '', bcc: null });
});

test('an await sees the message from the moment SMTP answered 250', async ({ mailcap, mailbox }) => {
  for (let i = 0; i < 10; i++) {
    await send(mailcap, { from: 'a@x.test', to: mailbox.address(), subject: `smtp ${i}.`, text: 'x' });
    const found = await mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/await?timeout=1&subject=smtp%20${i}.`);
    expect(found.status).toBe(200);
  }
});

test('the facts are those of the session, in the order of RCPT', async ({ mailcap, mailbox }) => {
  const to = [mailbox.address('b'), mailbox.address('a')];
  await send(mailcap, { from: 'a@x.test', to: 'someone@else.test', envelope: { from: 'a@x.test', to }, text: 'x' });
  const { id } = await newest(mailcap, mailbox.id);
  expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject({
    source: 'smtp',
    envelope: { mailFrom: 'a@x.test', rcptTo: to },
    helo: expect.any(String),
    tls: null,
    clientAddress: '127.0.0.1',
    transcript: expect.arrayContaining([expect.stringMatching(/^C: MAIL FROM/), expect.stringMatching(/^S: 250/)]),
  });
});
