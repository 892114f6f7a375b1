import { expect, test } from 'mailcap/playwright';
import { mail, secretsOf } from './app.js';
import { attempts, SMTP, timed } from './attempts.js';

for (const attempt of attempts()) {
  test(`attempt ${attempt}`, async ({ mailbox }) => {
    const sent = mail({ ...SMTP, to: mailbox.address, attempt });
    const message = await timed(() => mailbox.waitForMessage({ subject: 'verify' }));
    expect({ code: message.code(), link: message.link('verify').href }).toEqual(secretsOf(attempt));
    await sent;
  });
}
