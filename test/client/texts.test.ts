import { describe, expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { nonConsumingWaitOf } from '../../src/client/waiting/wait.ts';
import { failure, type Stage, testsOf } from './modes.ts';

// What a handle says of text messages, and what it does not overlook.

const test = testsOf('local');
const SOON = { timeout: 200 };

/** Sends a text as an app does, by the API of Twilio. */
async function text({ mailcap }: Stage, to: string, body: string): Promise<void> {
  const account = `AC${'0'.repeat(32)}`;
  const answer = await fetch(`${mailcap.url}/providers/twilio/2010-04-01/Accounts/${account}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${account}:any`)}` },
    body: new URLSearchParams({ From: 'Shop', To: to, Body: body }),
  });
  expect(answer.status).toBe(201);
}

describe('a text message to a mailbox with a number', () => {
  test('counts for a check that nothing came, and for one that something came', async ({ stage }) => {
    const mailbox = await stage.client.mailbox({ phones: ['+12025553001'] });
    await text(stage, '+12025553001', '482913 is your code');
    const error = await failure(mailbox.expectNoMessage({}, { for: 30_000 }));
    expect(error.message).toMatch(/^Expected no message to user@.*, \+12025553001, but there is:/);
    expect(error.message).toContain('+00:00 "482913 is your code" from Shop to +12025553001 (');
    await nonConsumingWaitOf(mailbox)?.({ body: 'your code' }, SOON);
    await mailbox.waitForSms();
    await mailbox.expectNoMessage({}, { for: 100 });
  });

  test('is named by its words, with the call that takes it, where a wait takes emails', async ({ stage }) => {
    const mailbox = await stage.client.mailbox({ phones: ['+12025553002'] });
    await text(stage, '+12025553002', '482913 is your code');
    const { message } = await failure(mailbox.waitForMessage({ body: 'code' }, SOON));
    expect(message).toMatch(
      /text message "482913 is your code" from Shop to \+12025553002: it is a text message.*waitForSms takes it/,
    );
    expect(message).not.toContain('it matches');
    await stage.put(mailbox, { Subject: 'Welcome' });
    await mailbox.waitForSms();
    const other = await failure(mailbox.waitForSms({}, SOON));
    expect(other.message).toContain('No text message to +12025553002 within 200 ms (waitForSms).');
    expect(other.message).toMatch(/"Welcome" from .*: it is an email.*waitForMessage takes it/);
    expect(other.message).toMatch(/"482913 is your code" .*: an earlier wait returned it/);
  });

  test('is named by its words where it holds no such link', async ({ stage }) => {
    const mailbox = await stage.client.mailbox({ phones: ['+12025553003'] });
    await text(stage, '+12025553003', 'Your parcel is here');
    const sms = await mailbox.waitForSms();
    expect(() => sms.link('verify')).toThrow('no link of kind verify in the text message "Your parcel is here"');
  });
});

describe('a wait for a text message', () => {
  test('says which number to claim for one that went to nobody', async ({ stage }) => {
    // Like that of a worker of a runner, the handle is in a workspace of its own.
    const { id: workspaceId } = await stage.client.local.createWorkspace({ name: 'Worker' });
    const { key: apiKey } = await stage.client.local.createKey(workspaceId);
    const client = createClient({ baseUrl: stage.proxy.url, apiKey, workspaceId });
    const mailbox = await client.mailbox({ phones: ['+12025553004'] });
    await text(stage, '+12025553005', 'Code 482914');
    const { message } = await failure(mailbox.waitForSms({}, SOON));
    expect(message).toContain('text message "Code 482914" from Shop to +12025553005 (in the inbox');
    expect(message).toContain("let the mailbox claim the number: { phones: ['+12025553005'] }.");
    expect(message).not.toContain('SMTP');
  });

  test('says that a handle without a number gets none', async ({ stage, mailbox }) => {
    const { message } = await failure(mailbox.waitForSms({}, SOON));
    expect(message).toContain(`No text message to the mailbox of ${mailbox.address}`);
    expect(message).toContain('The handle claims no phone number');
    expect(stage.mode).toBe('local');
  });
});
