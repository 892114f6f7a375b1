import { expect } from 'vitest';
import { LINK_KINDS } from '../../src/extract/link-kinds.ts';
import { test } from '../support/mailcap.ts';
import { json, outcome } from './support.ts';

interface Whole {
  readonly id: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly mailboxId: string;
}

const CONDITIONS: readonly Record<string, string>[] = [
  {},
  { subject: 'Your order "42" – ¡ya!', body: 'unicorn & <b>' },
  { from: 'noreply@shop.test', to: 'ada+1@box.mailcap.example.com' },
  { from: 'Shop <noreply@shop.test>' },
  { from: 'shop', to: '@elsewhere' },
  { header: 'X-Campaign: spring', code: '1' },
  { header: 'subject: hello' },
  ...[...LINK_KINDS, 'any'].map((link) => ({ link })),
  { query: 'from:ada cc:bob reply-to:carl subject:"sign in" filename:report.pdf has:attachment has:link has:code' },
  { query: 'is:html is:unread after:1h larger:20k "two words" header:x-tag=1 recipient:dora !subject:gone' },
];

test.for(CONDITIONS)('a mail is sent that ends a wait for %j', async (conditions, { mailcap, mailbox }) => {
  const asked = new URLSearchParams(conditions);
  const waiting = mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/await?timeout=20&${asked}`);
  await expect.poll(async () => (await json<unknown[]>(mailcap.api('/_mailcap/waits'))).length).toBe(1);
  const path = `/_mailcap/mailboxes/${mailbox.id}/matching-message?${asked}`;
  const sent = await json<Whole>(mailcap.api(path, { method: 'POST' }));
  const came = await json<Whole>(waiting);
  expect([came.id, came.mailboxId]).toEqual([sent.id, mailbox.id]);
});

test('its envelope is that of its header, so a whole address of a sender or a recipient is exactly that', async ({
  mailcap,
  mailbox,
}) => {
  const path = `/_mailcap/mailboxes/${mailbox.id}/matching-message?from=noreply@shop.test&to=ada@x.test`;
  const { id } = await json<Whole>(mailcap.api(path, { method: 'POST' }));
  const facts = await json<{ envelope: unknown }>(mailcap.api(`/_mailcap/messages/${id}`));
  expect(facts).toMatchObject({
    envelope: { mailFrom: 'noreply@shop.test', rcptTo: ['ada@x.test'] },
  });
  const content = await json<Whole>(mailcap.api(`/_mailcap/messages/${id}/content`));
  expect([content.from, content.to]).toEqual(['noreply@shop.test', 'ada@x.test']);
});

test.for([
  ['query=before:2020-01-01', 'query before:2020-01-01T00:00:00.000+00:00'],
  ['query=is:starred', 'query is:starred'],
  ['subject=hello&query=!subject:hello', 'query !subject:"hello"'],
  ['query=thread:abc', 'query thread:"abc"'],
  ['query=smaller:10', 'query smaller:10'],
  ['header=Message-ID: abc', 'header message-id: abc'],
] as const)(
  'no mail is sent for %s, and the answer names the condition',
  async ([asked, condition], { mailcap, mailbox }) => {
    const path = `/_mailcap/mailboxes/${mailbox.id}/matching-message?${encodeURI(asked)}`;
    const refused = await outcome(mailcap.api(path, { method: 'POST' }));
    expect(refused).toMatchObject({ status: 422, body: { error: 'no_matching_mail', condition } });
    const { messageCount } = await json<{ messageCount: number }>(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`));
    expect(messageCount).toBe(0);
  },
);
