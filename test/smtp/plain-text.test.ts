import { expect } from 'vitest';
import { json, type Summary } from '../http/support.ts';
import { test } from '../support/mailcap.ts';
import { Wire } from './wire.ts';

test.for([
  ['without a header', 'your code is 123456'],
  ['of a multipart that has no boundary', 'Content-Type: multipart/mixed\r\n\r\nyour code is 123456'],
] as const)('the text of a mail %s is served, and its code is found', async ([, content], { mailcap, mailbox }) => {
  const wire = await Wire.hello(mailcap.smtp.port);
  expect(await wire.mail(mailbox.address(), content)).toMatch(/^250 /);
  wire.close();
  const inbox = `/v1/mailboxes/${mailbox.id}/messages`;
  const [summary] = await json<Summary[]>(mailcap.api(inbox));
  expect(summary).toMatchObject({ subject: null, from: 'sender@x.test', attachmentCount: 0 });
  const message = await json(mailcap.api(`${inbox}/${summary?.id}`));
  expect(message).toMatchObject({ textBody: 'your code is 123456\n', htmlBody: null, attachments: [] });
  const facts = await json(mailcap.api(`/_mailcap/messages/${summary?.id}`));
  expect(facts).toMatchObject({ codes: [{ code: '123456' }], parseError: null, findError: null });
});
