import { expect, test } from 'mailcap/playwright';

async function signUp(page, mailbox, password) {
  await page.goto('/');
  await page.getByLabel('email').fill(mailbox.address);
  await page.getByLabel('password').fill(password);
  await page.getByRole('button').click();
  await page.getByLabel('code').fill(await mailbox.waitForCode({ subject: 'your code' }));
  await page.getByRole('button').click();
  await expect(page.getByRole('heading')).toHaveText(`Welcome, ${mailbox.address}`);
}

test('signs up with a code', async ({ page, mailbox }) => {
  await signUp(page, mailbox, 'swordfish');
  await expect(mailbox).not.toHaveReceived({ subject: 'reset' });
});

test('resets a password with a link, and signs in with a second factor', async ({ page, mailbox, totp }) => {
  test.slow();
  await signUp(page, mailbox, 'forgotten');
  const authenticator = await totp(await page.locator('output').innerText());

  await page.goto('/forgot');
  await page.getByLabel('email').fill(mailbox.address);
  await page.getByRole('button').click();
  const message = await mailbox.waitForMessage({ subject: 'reset' });
  expect(message).toHaveLink('unsubscribe');
  await page.goto(message.link('reset').href);
  await page.getByLabel('password').fill('swordfish');
  await page.getByRole('button').click();
  await expect(page.getByRole('heading')).toHaveText('Password changed');

  await page.goto('/sign-in');
  await page.getByLabel('email').fill(mailbox.address);
  await page.getByLabel('password').fill('swordfish');
  await page.getByLabel('code').fill(await authenticator.code());
  await page.getByRole('button').click();
  await expect(page.getByRole('heading')).toHaveText(`Signed in as ${mailbox.address}`);
});
