import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { mail, secretsOf } from './app.js';
import { attempts, HTTP_URL, polled, readByRegExp, SMTP, timed } from './attempts.js';

// MailDev has a list of all mail. A suite reads it again and again, and deletes what it took.
for (const attempt of attempts()) {
  test(`attempt ${attempt}`, async () => {
    const to = `user-${randomUUID()}@shop.test`;
    const sent = mail({ ...SMTP, to, attempt });
    const message = await timed(() =>
      polled(async () => {
        const all = await (await fetch(`${HTTP_URL}/api/email`)).json();
        return all.find((one) => one.to.some(({ address }) => address === to));
      }),
    );
    expect(readByRegExp(message.text)).toEqual(secretsOf(attempt));
    await sent;
    await fetch(`${HTTP_URL}/api/email/${message.id}`, { method: 'DELETE' });
  });
}
