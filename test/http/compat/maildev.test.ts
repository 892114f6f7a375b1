import { expect, test as plain } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { put } from '../support.ts';

plain('a mail of HTML alone has its text in version 3, and none in version 2', async () => {
  await using server = await startServer({ compat: ['maildev'] });
  const html = '<style>p { color: red }</style><p>Your code is <b>481516</b>.</p>';
  const raw = `Subject: Only HTML\r\nContent-Type: text/html\r\n\r\n${html}\r\n`;
  expect((await put(server, server.mailboxId, raw)).status).toBe(201);
  const [email] = (await (await fetch(`${server.url}/api/email`)).json()) as { id: string; text: string }[];
  expect(email?.text.trim()).toBe('Your code is 481516.');
  const whole = await (await fetch(`${server.url}/api/email/${email?.id}`)).json();
  expect(whole).toMatchObject({ text: email?.text, html: expect.stringContaining('<b>481516</b>') });
  expect(await (await fetch(`${server.url}/email/${email?.id}`)).json()).not.toHaveProperty('text');
});

plain('a deletion of some emails that names none is refused in MailDev’s words, and deletes nothing', async () => {
  await using server = await startServer({ compat: ['maildev'] });
  expect((await put(server, server.mailboxId, 'Subject: kept\r\n\r\nx\r\n')).status).toBe(201);
  for (const body of [undefined, {}, { ids: 'not-an-array' }, { ids: ['valid-id', ''] }, { ids: ['valid-id', 123] }]) {
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const asked = { method: 'POST', ...(body === undefined ? {} : json) };
    const answer = await fetch(`${server.url}/api/email/delete`, asked);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: 'Request body must include an ids array of email IDs' });
  }
  expect(await (await fetch(`${server.url}/api/email`)).json()).toHaveLength(1);
});
