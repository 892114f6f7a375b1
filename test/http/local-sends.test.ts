import { expect } from 'vitest';
import { startServer, test } from '../support/mailcap.ts';
import { eventually, type SendState, sendMail } from '../support/outbound.ts';
import { json, outcome, put } from './support.ts';

test('GET sends: newest first, by pages, by workspace and by mailbox', async ({ mailcap, mailbox }) => {
  const other = await mailcap.addMailbox();
  const sent: string[] = [];
  for (const from of [mailbox, other, mailbox]) {
    const { outboundSendId } = await sendMail(mailcap, from.id, { to: 'success@simulator.mailcap.example.com' });
    sent.push(outboundSendId);
  }
  const ids = async (query: string) =>
    (await json<SendState[]>(mailcap.api(`/_mailcap/sends?${query}`))).map(({ id }) => id);
  const [first, second, third] = sent;
  expect(await ids(`workspaceId=${mailcap.workspaceId}&limit=2`)).toEqual([third, second]);
  expect(await ids(`before=${second}&limit=1`)).toEqual([first]);
  expect(await ids(`mailboxId=${mailbox.id}`)).toEqual([third, first]);
  expect(await ids('workspaceId=01ARZ3NDEKTSV4RRFFQ69G5FAV')).toEqual([]);
  for (const [query, error] of [
    ['limit=x', 'invalid_limit'],
    ['before=x', 'invalid_before'],
    ['mailboxId=x', 'invalid_mailbox_id'],
    ['workspaceId=x', 'invalid_workspace_id'],
  ]) {
    expect(await outcome(mailcap.api(`/_mailcap/sends?${query}`))).toEqual({ status: 400, body: { error } });
  }
});

test('GET sends/{id} has the state, attempts, next attempt and last reply of each recipient', async ({
  mailcap,
  mailbox,
}) => {
  const { outboundSendId, messageId } = await sendMail(mailcap, mailbox.id, {
    to: 'success@simulator.mailcap.example.com, bounce+1@simulator.mailcap.example.com',
    cc: 'complaint+1@simulator.mailcap.example.com',
  });
  const send = await eventually(mailcap, outboundSendId);
  const settled = { attempts: 1, nextAttemptAt: null };
  expect(send).toMatchObject({
    ...{ id: outboundSendId, workspaceId: mailcap.workspaceId, mailboxId: mailbox.id, messageId },
    ...{ from: 'app@mailcap.example.com', state: 'bounced', subject: expect.any(String) },
    recipients: [
      {
        ...settled,
        address: 'success@simulator.mailcap.example.com',
        state: 'delivered',
        lastReply: expect.stringMatching(/^250 /),
      },
      {
        ...settled,
        address: 'bounce+1@simulator.mailcap.example.com',
        state: 'bounced',
        lastReply: expect.stringMatching(/^550 5/),
      },
      { ...settled, address: 'complaint+1@simulator.mailcap.example.com', state: 'complained' },
    ],
  });
  expect((await mailcap.api('/_mailcap/sends/01ARZ3NDEKTSV4RRFFQ69G5FAV')).status).toBe(404);
});

test('a send outside the mail domain is captured: a local tool never mails a stranger', async () => {
  await using server = await startServer();
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test'] });
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: 'ada@elsewhere.test' });
  const { state, recipients } = await eventually(server, outboundSendId);
  expect([state, recipients[0]?.state]).toEqual(['captured', 'captured']);
});

test('a send from a mailbox has files, and an answer joins the conversation of its message', async ({
  mailcap,
  mailbox,
}) => {
  const raw = 'Message-ID: <first@shop.test>\r\nReferences: <zero@shop.test>\r\nSubject: Help\r\n\r\nHello';
  const { id } = await json<{ id: string }>(put(mailcap, mailbox.id, raw));
  const path = `/_mailcap/mailboxes/${mailbox.id}/send`;
  const fields = { from: mailbox.address('me'), to: mailbox.address('you'), subject: 'Re: Help', textBody: 'Hi' };
  const content = Buffer.from('a,b\n1,2\n').toString('base64');
  const attachments = [
    { filename: 'grüße.csv', content },
    { filename: 'x', contentType: 'image/png', content: '' },
  ];
  const { messageId } = await json<{ messageId: string }>(
    mailcap.api(path, { json: { ...fields, attachments, inReplyTo: id } }),
  );
  const sent = await json<{ attachments: readonly object[]; headersJson: string }>(
    mailcap.api(`/_mailcap/messages/${messageId}/content`),
  );
  expect(sent.attachments).toMatchObject([
    { filename: 'grüße.csv', contentType: 'text/csv', sizeBytes: 8 },
    { filename: 'x', contentType: 'image/png', sizeBytes: 0 },
  ]);
  expect(JSON.parse(sent.headersJson)).toMatchObject({
    'in-reply-to': '<first@shop.test>',
    references: '<zero@shop.test> <first@shop.test>',
  });
  const thread = await json<{ total: number }>(mailcap.api(`/_mailcap/messages/${id}/thread`));
  // The recipient below the mail domain gets a copy of its own.
  expect(thread.total).toBeGreaterThanOrEqual(2);
  const before = await json<unknown[]>(mailcap.api('/_mailcap/sends'));
  for (const wrong of [
    { attachments: 'x' },
    { attachments: [{ filename: 'a', content: '%' }] },
    { attachments: [{ filename: 'a', contentType: 'text/plain\r\nX: y', content }] },
    { attachments: Array(51).fill(attachments[0]) },
    { inReplyTo: 'x' },
    { inReplyTo: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
  ]) {
    const { status, body } = await outcome(mailcap.api(path, { json: { ...fields, ...wrong } }));
    expect([status, body]).toEqual([400, expect.objectContaining({ error: 'invalid_body' })]);
  }
  expect(await json(mailcap.api('/_mailcap/sends'))).toHaveLength(before.length);
});
