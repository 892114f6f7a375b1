import { expect, test } from 'mailcap/vitest';
import { describe } from 'vitest';
import { pay } from './payments.js';

const secret = 'whsec_of_the_shop';

describe.concurrent('a payment', () => {
  test('is told once, signed, and the customer has a receipt', async ({ webhook, mailbox, expect }) => {
    await pay({ webhookUrl: webhook.url, secret, customer: mailbox.address, amount: 1200 });
    const request = await webhook.waitForRequest({ method: 'POST' });
    expect(request).toHaveValidSignature('stripe', secret);
    expect(request.json()).toEqual({ type: 'payment.succeeded', amount: 1200 });
    await expect(mailbox).toHaveReceived({ subject: 'receipt', body: 'You paid 1200.' });
    await expect(webhook).not.toHaveReceived({ path: '/other' });
  });

  test('is told again where the shop fails, stalls or hangs up', async ({ webhook, mailbox, expect }) => {
    await webhook.respond([{ status: 500 }, { drop: true }, { status: 503, delayMs: 20 }]);
    expect(await pay({ webhookUrl: webhook.url, secret, customer: mailbox.address, amount: 5 })).toBe(true);
    const requests = await webhook.waitForRequests(4);
    for (const request of requests) expect(request).toHaveValidSignature('stripe', secret);
  });

  test('is given up after four attempts, and nobody is mailed', async ({ webhook, mailbox, expect }) => {
    await webhook.respond({ status: 500 });
    expect(await pay({ webhookUrl: webhook.url, secret, customer: mailbox.address, amount: 5 })).toBe(false);
    expect(await webhook.requests()).toHaveLength(4);
    await mailbox.expectNoMessage({}, { for: 100 });
  });
});

let attempts = 0;
test('another attempt has another mailbox', { retry: 1 }, async ({ webhook, mailbox }) => {
  attempts += 1;
  await pay({ webhookUrl: webhook.url, secret, customer: mailbox.address, amount: attempts });
  await expect(mailbox).toHaveReceived({ body: `You paid ${attempts}.` });
  expect(await mailbox.messages()).toHaveLength(1);
  expect(attempts).toBe(2);
});
