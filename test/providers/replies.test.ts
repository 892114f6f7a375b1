import { createTransport } from 'nodemailer';
import { ServerClient } from 'postmark';
import { expect } from 'vitest';
import { json } from '../http/support.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { messagesOf, receiver } from './support.ts';

const DOMAIN = 'replies.acme.test';

interface ToApp {
  readonly From: string;
  readonly To: string;
  readonly ToFull: readonly { readonly Email: string }[];
  readonly Subject: string;
  readonly MailboxHash: string;
  readonly StrippedTextReply: string;
  readonly Headers: readonly { readonly Name: string; readonly Value: string }[];
}

/** An app that sends by Postmark and has its replies come by the inbound hook, and a mailbox that may answer it. */
async function appWithReplies(server: TestServer) {
  const hook = await receiver();
  const requestHost = `${new URL(server.url).host}/providers/postmark`;
  const client = new ServerClient('any', { useHttps: false, requestHost });
  await client.editServer({ InboundHookUrl: hook.url, InboundDomain: DOMAIN });
  const mailbox = await server.addMailbox({ allowlist: [`*@${DOMAIN}`] });
  const answer = (id: string, fields: object = { textBody: 'Yes.' }) =>
    server.api(`/_mailcap/mailboxes/${mailbox.id}/send`, { json: { ...fields, inReplyTo: id } });
  /** Returns the mail that came to the app last, which is the one of a number, from 1. */
  const got = async (number: number): Promise<ToApp> => {
    await hook.received(number);
    return JSON.parse(hook.requests[number - 1]?.body ?? '{}');
  };
  const newest = async () => (await messagesOf(server, mailbox.id))[0]?.id ?? '';
  return { client, mailbox, answer, got, newest, [Symbol.asyncDispose]: () => hook[Symbol.asyncDispose]() };
}

const headerOf = ({ Headers }: ToApp, name: string) => Headers.find((one) => one.Name === name)?.Value;

test('a reply names only the mail that it answers, and a conversation with the app holds together', async ({
  mailcap,
}) => {
  await using app = await appWithReplies(mailcap);
  const ids: string[] = [];
  const ask = async (Subject: string, Headers: { Name: string; Value: string }[]) => {
    const Message = `<ask-${ids.length}@${DOMAIN}>`;
    ids.push(Message);
    const mail = { From: `Shop <shop+${ids.length}@${DOMAIN}>`, To: app.mailbox.address(), Subject, TextBody: 'Well?' };
    await app.client.sendEmail({ ...mail, Headers: [{ Name: 'Message-ID', Value: Message }, ...Headers] });
    return app.newest();
  };
  expect((await app.answer(await ask('Order', []))).status).toBe(202);
  const first = await app.got(1);
  expect(first).toMatchObject({
    ...{ From: app.mailbox.address(), To: `Shop <shop+1@${DOMAIN}>`, Subject: 'Re: Order', MailboxHash: '1' },
    StrippedTextReply: 'Yes.',
  });
  expect(headerOf(first, 'In-Reply-To')).toBe(ids[0]);
  const own = headerOf(first, 'Message-ID') ?? '';
  const references = [{ Name: 'References', Value: `${ids[0]} ${own}` }];
  const second = await ask('Re: Order', [{ Name: 'In-Reply-To', Value: own }, ...references]);
  await app.answer(second, { textBody: `No.\n\nShop wrote:\n${'> Well?\n'.repeat(10_000)}` });
  const last = await app.got(2);
  expect(last).toMatchObject({ Subject: 'Re: Order', StrippedTextReply: 'No.' });
  expect(headerOf(last, 'References')).toBe(`${ids[0]} ${own} ${ids[1]}`);
});

/** The header of a mail that came by SMTP, and who gets the answer under which subject. */
test.for([
  ['a name with a comma', 'From: =?utf-8?q?Shop=2C_Inc?= <shop@D>', ['shop@D'], 'Re: Hi'],
  ['a name that is an address', 'From: =?utf-8?q?victim=40evil=2Etest=2C?= <shop@D>', ['shop@D'], 'Re: Hi'],
  ['a name with brackets', 'From: "<victim@evil.test>" <shop@D>', ['shop@D'], 'Re: Hi'],
  ['a name with a line break', 'From: =?utf-8?q?A=0D=0ABcc:_victim=40evil.test?= <shop@D>', ['shop@D'], 'Re: Hi'],
  ['several who want answers', 'From: shop@D\nReply-To: "A, B" <a@D>, b@D', ['a@D', 'b@D'], 'Re: Hi'],
  ['a Reply-To that is no address', 'From: shop@D\nReply-To: nobody', ['shop@D'], 'Re: Hi'],
  ['a Reply-To of nobody', 'From: shop@D\nReply-To: undisclosed-recipients:;', ['shop@D'], 'Re: Hi'],
  ['no From', 'X-Mail: 1', ['envelope@D'], 'Re: Hi'],
  ['a From of nobody', 'From: nobody', ['envelope@D'], 'Re: Hi'],
  ['a subject that is a reply', 'From: shop@D\nSubject: RE: Hi', ['shop@D'], 'RE: Hi'],
  [
    ...(['a subject with a line break', 'From: shop@D\nSubject: =?utf-8?q?Hi=0D=0ABcc:_victim=40evil.test?='] as const),
    ...([['shop@D'], expect.stringMatching(/^Re: Hi +Bcc: victim@evil.test$/)] as const),
  ],
  [
    ...(['a huge subject', `From: shop@D\nSubject: ${'x '.repeat(450)}\n ${'y '.repeat(30_000)}`] as const),
    ...([['shop@D'], expect.stringMatching(/^Re: x x x /)] as const),
  ],
] as const)('a mail with %s can be answered', async ([, head, expected, subject], { mailcap }) => {
  await using app = await appWithReplies(mailcap);
  const { smtpHost: host, smtpPort: port } = mailcap.ready;
  const whole = head.includes('Subject:') ? head : `${head}\nSubject: Hi`;
  // It has no Message-ID, so nothing is named by its answer.
  await createTransport({ host, port, ignoreTLS: true }).sendMail({
    envelope: { from: `envelope@${DOMAIN}`, to: app.mailbox.address() },
    raw: `${whole.replaceAll('@D', `@${DOMAIN}`).replaceAll('\n', '\r\n')}\r\n\r\nHello\r\n`,
  });
  expect((await app.answer(await app.newest())).status).toBe(202);
  const got = await app.got(1);
  expect(got.ToFull.map(({ Email }) => Email)).toEqual(expected.map((one) => one.replace('D', DOMAIN)));
  expect(got.Subject).toEqual(subject);
  expect(got.Headers.map(({ Name }) => Name)).not.toContain('In-Reply-To');
  expect(got.Headers.map(({ Name }) => Name)).not.toContain('Bcc');
});

test('a mail that names nobody is not answered, unless the request names somebody', async ({ mailcap }) => {
  await using app = await appWithReplies(mailcap);
  const { smtpHost: host, smtpPort: port } = mailcap.ready;
  await createTransport({ host, port, ignoreTLS: true }).sendMail({
    envelope: { from: '', to: app.mailbox.address() },
    raw: 'Subject: Undelivered\r\n\r\nHello\r\n',
  });
  const id = await app.newest();
  const refused = await app.answer(id);
  expect([refused.status, await refused.json()]).toMatchObject([
    ...[400, { error: 'invalid_body', message: 'the message names nobody to answer: name somebody in to' }],
  ]);
  expect((await app.answer(id, { textBody: 'Yes.', to: `shop@${DOMAIN}`, subject: 'Hi' })).status).toBe(202);
  expect(await app.got(1)).toMatchObject({ Subject: 'Hi', To: `shop@${DOMAIN}` });
});

test('a recipient at a domain that may not send can’t answer', async ({ mailcap }) => {
  await using app = await appWithReplies(mailcap);
  const To = 'user@bounce-testing.postmarkapp.com';
  await app.client.sendEmail({ From: `shop@${DOMAIN}`, To, Subject: 'Hi', TextBody: 'Hello' });
  const [inbox] = await json<{ id: string }[]>(mailcap.api('/v1/mailboxes?name=Inbox'));
  const [message] = await messagesOf(mailcap, inbox?.id ?? '');
  const refused = await app.answer(message?.id ?? '');
  expect([refused.status, await refused.json()]).toMatchObject([422, { error: 'invalid_from_domain' }]);
  expect(await messagesOf(mailcap, app.mailbox.id)).toEqual([]);
});
