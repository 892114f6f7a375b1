import { expect } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { ask } from './answer.ts';
import { addBox, addNarrowKey, addTenant, type Box } from './tenant.ts';

async function bcc(server: TestServer, key: string, { id }: Box): Promise<unknown> {
  const path = `/v1/mailboxes/${id}/messages`;
  const [message] = JSON.parse((await ask(server, { path, key })).body);
  return JSON.parse((await ask(server, { path: `${path}/${message.id}`, key })).body).bcc;
}

test('bcc has only the recipients of a mail whose mailboxes the key can read', async ({ mailcap }) => {
  const [us, them] = [await addTenant(mailcap), await addTenant(mailcap)];
  const [first, second, theirs] = [
    await addBox(mailcap, us, 'a'),
    await addBox(mailcap, us, 'b'),
    await addBox(mailcap, them, 'a'),
  ];
  const narrow = await addNarrowKey(mailcap, us, [first.id]);
  const [one, two, three] = [first, second, theirs].map(({ subdomain }) => `who@${subdomain}.mailcap.example.com`);
  const wire = await Wire.hello(mailcap.smtp.port);
  const to = [one ?? '', two ?? '', three ?? '', 'who@nobody.example'];
  expect(await wire.mail(to, 'To: list@x.test\r\nSubject: copies\r\n\r\nhi')).toMatch(/^250 /);
  wire.close();

  expect(await bcc(mailcap, narrow, first)).toBe(one);
  expect(await bcc(mailcap, us.key, first)).toBe(`${one}, ${two}`);
  expect(await bcc(mailcap, them.key, theirs)).toBe(three);
  // The inbox mailbox received the last copy. It belongs to the seeded workspace.
  const inbox = { id: mailcap.mailboxId, subdomain: 'inbox' };
  expect(await bcc(mailcap, mailcap.apiKey, inbox)).toBe('who@nobody.example');
});
