import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { mail, secretsOf } from './app.js';
import { attempts, HTTP_URL, polled, readByRegExp, SMTP, timed } from './attempts.js';

// Mailpit has a search. A suite asks it again and again, fetches the message, and deletes it.
for (const attempt of attempts()) {
  test(`attempt ${attempt}`, async () => {
    const to = `user-${randomUUID()}@shop.test`;
    const sent = mail({ ...SMTP, to, attempt });
    const message = await timed(async () => {
      const found = await polled(async () => {
        const query = encodeURIComponent(`to:"${to}"`);
        return (await (await fetch(`${HTTP_URL}/api/v1/search?query=${query}`)).json()).messages[0];
      });
      return (await fetch(`${HTTP_URL}/api/v1/message/${found.ID}`)).json();
    });
    expect(readByRegExp(message.Text)).toEqual(secretsOf(attempt));
    await sent;
    await fetch(`${HTTP_URL}/api/v1/messages`, { method: 'DELETE', body: JSON.stringify({ IDs: [message.ID] }) });
  });
}
