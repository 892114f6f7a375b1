import { expect, test } from 'mailcap/playwright';

// The first run takes the screenshots, and later ones compare. Keep them with the code.
test('the mail with the code looks as it did, light and dark, on a phone and on a desktop', async ({
  page,
  mailbox,
}) => {
  await page.goto('/');
  await page.getByLabel('email').fill(mailbox.address);
  await page.getByLabel('password').fill('swordfish');
  await page.getByRole('button').click();

  const message = await mailbox.waitForMessage({ subject: 'your code' });
  // Each run has another code.
  await expect(message).toHaveScreenshot('code.png', { mask: 'b' });
});
