import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createMailcap } from 'mailcap';
import { createClient } from 'mailcap/client';
import { invite } from './invite.js';

let mailcap;
let client;

before(async () => {
  mailcap = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, limits: 'off', starttls: 'off' });
  client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey });
});
after(() => mailcap.close());

test('an invitation has a link to accept it', async () => {
  const mailbox = await client.mailbox();
  await invite(mailcap.smtp.url, mailbox.address);
  const link = new URL(await mailbox.waitForLink({ subject: 'invited' }));
  assert.equal(link.pathname, '/join');
  assert.equal(link.searchParams.get('team'), '1');
});

test('a wait says why nothing came', async () => {
  const mailbox = await client.mailbox();
  await invite(mailcap.smtp.url, mailbox.address);
  await assert.rejects(mailbox.waitForMessage({ subject: 'welcome' }, { timeout: 100 }), /subject has no "welcome"/);
});
