import { randomUUID } from 'node:crypto';
import { expect, test } from 'mailcap/playwright';
import { PASSWORD, PEOPLE, TEAM } from './seed.js';
import { Visitor } from './visitor.js';

test('signs up, and verifies the address with the link of the mail', async ({ request, mailbox }) => {
  const visitor = new Visitor(request);
  const username = await visitor.register(mailbox.address);
  await visitor.logIn(username);
  expect(await visitor.account()).toMatchObject({ email_verified: false });

  await visitor.follow(await mailbox.waitForLink({ subject: 'verify your email' }));
  expect(await visitor.account()).toMatchObject({ username, email: mailbox.address, email_verified: true });
});

test('mails a second link to somebody who asks for one', async ({ request, mailbox }) => {
  const visitor = new Visitor(request);
  await visitor.logIn(await visitor.register(mailbox.address));
  await mailbox.waitForMessage({ subject: 'verify' });
  await visitor.post('/account/verify');
  // A wait never returns a message twice, so this link is the second mail's.
  await visitor.follow(await mailbox.waitForLink({ subject: 'verify' }));
  expect(await visitor.account()).toMatchObject({ email_verified: true });
});

test('gives Bob, whom the seed made, a new password', async ({ request, createMailbox }) => {
  const mail = await createMailbox({ addresses: [PEOPLE.bob.email] });
  const visitor = new Visitor(request);
  await visitor.post('/account/forgot_password', { email: PEOPLE.bob.email });
  const link = new URL(await mail.waitForLink({ subject: 'password reset' }));
  const token = link.pathname.split('/').at(-1);
  await visitor.post(`/account/reset_password/${token}`, { password: 'another one entirely' });

  await visitor.refused(() => visitor.logIn(PEOPLE.bob.username));
  await visitor.logIn(PEOPLE.bob.username, 'another one entirely');
  expect(await visitor.account()).toMatchObject({ email: PEOPLE.bob.email });
});

test('lets somebody without an account into a team by an invitation', async ({
  request,
  playwright,
  baseURL,
  mailbox,
}) => {
  const alice = new Visitor(await playwright.request.newContext({ baseURL }));
  await alice.logIn(PEOPLE.alice.username);
  await alice.invite(mailbox.address);

  const invitation = new URL(await mailbox.waitForLink({ subject: 'invitation' }));
  const newcomer = new Visitor(request);
  await newcomer.logIn(await newcomer.register(invitation.searchParams.get('email')));
  await newcomer.follow(await mailbox.waitForLink({ subject: 'verify' }));
  expect(await newcomer.teams()).toEqual([expect.objectContaining({ name: TEAM.name })]);
});

test('invites Eddy, who has an account', async ({ request, createMailbox }) => {
  const mail = await createMailbox({ addresses: [PEOPLE.eddy.email] });
  const alice = new Visitor(request);
  await alice.logIn(PEOPLE.alice.username);
  await alice.invite(PEOPLE.eddy.username);
  const message = await mail.waitForMessage({ subject: `join team ${TEAM.name}` });
  expect(message.to[0].address).toBe(PEOPLE.eddy.email);
  expect(message.link('invite').pathname).toBe('/account/teams/invitations');
});

test('moves an account to another address, and tells the old one', async ({ request, mailbox, createMailbox }) => {
  const old = await createMailbox({ name: 'old', addresses: [PEOPLE.dave.email] });
  const dave = new Visitor(request);
  await dave.logIn(PEOPLE.dave.username);
  await dave.put('/api/v1/user', { email: mailbox.address });
  await dave.follow(await mailbox.waitForLink({ subject: 'confirm your email change' }));

  await expect(old).toHaveReceived({ subject: 'email change', body: `New email address: ${mailbox.address}` });
  expect(await dave.account()).toMatchObject({ email: mailbox.address });
});

test('says nothing to an address that has no account', async ({ request, mailbox }) => {
  await new Visitor(request).post('/account/forgot_password', { email: mailbox.address });
  await expect(mailbox).toStayEmpty({ for: 300 });
});

test.describe('in the browser', () => {
  test.skip(!process.env.CHROMIUM, 'needs CHROMIUM, the path of a browser');

  test('signs up on the page', async ({ page, mailbox }) => {
    await page.goto('/account/create');
    await page.locator('[data-form="signup-username"] input').fill(`page-${randomUUID()}`);
    await page.locator('[data-form="signup-fullname"] input').fill('Ezra Bridger');
    await page.locator('[data-form="signup-email"] input').fill(mailbox.address);
    await page.locator('[data-form="signup-password"] input').fill(PASSWORD);
    await page.locator('[data-action="sign-up"]').click();
    await page.goto(await mailbox.waitForLink({ subject: 'verify' }));
    // The page says "verified" for a moment, and then goes on to the platform.
    const answer = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().includes('/account/verify/'),
    );
    await page.getByRole('button', { name: 'Verify' }).click();
    expect((await answer).ok()).toBe(true);
  });
});
