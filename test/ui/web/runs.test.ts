import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the runs of tests', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  const run = ulid();
  const failing = ulid();

  /** Reports an attempt, as the fixtures do. */
  const report = (id: string, title: string, outcome: string, mailboxIds: readonly string[], attempt = 1) =>
    fixture.server.api(`/_mailcap/runs/${run}/tests/${id}`, {
      method: 'PUT',
      json: {
        ...{ runner: 'playwright', project: 'shop', file: 'tests/shop.spec.ts', attempt, worker: '0', outcome },
        ...{ titles: ['shop', title], startedAt: '2026-11-20T15:55:00.000Z', mailboxIds },
        ...(outcome === 'running' ? {} : { endedAt: '2026-11-20T15:55:09.000Z' }),
        ...(outcome === 'failed' && { error: 'WaitTimeoutError: No message matched' }),
      },
    });

  const boxes: string[] = [];
  beforeAll(async () => {
    fixture = await openInbox();
    const { server } = fixture;
    const name = 'playwright worker 0 (process 7 of 0123456789abcdef)';
    const worker = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: { name } }));
    for (const box of ['Pays', 'Signs up', 'Signs up again', 'Of no test']) {
      const path = `/_mailcap/workspaces/${worker.id}/mailboxes`;
      boxes.push((await json<{ id: string }>(server.api(path, { json: { name: box } }))).id);
    }
    await report(ulid(), 'pays', 'passed', boxes.slice(0, 1));
    await report(failing, 'signs up', 'failed', boxes.slice(1, 3));
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('stand in the sidebar with their tests and mailboxes, failed ones first, and lead to the failure', async () => {
    const { page, complaints } = await fixture.open();
    const lines = () =>
      page.locator('.mailbox-lines').locator('.group, :not(.test-line) > .mailbox, .test-line').allInnerTexts();
    const said = async () => (await lines()).map((line) => line.replace(/\s+/g, ' ').trim());
    await expect.poll(said).toEqual([
      ...['All mailboxes', 'mailcap', 'Inbox', 'shop, playwright a test failed'],
      // A test with one mailbox of its name is one line.
      ...['signs up failed', 'Signs up', 'Signs up again', 'pays passed'],
      ...['playwright worker 0', 'Of no test'],
    ]);
    // A run that goes on is followed.
    const third = ulid();
    await report(third, 'looks around', 'running', boxes.slice(3));
    await expect.poll(said).toContain('looks around running');
    await report(third, 'looks around', 'passed', boxes.slice(3));
    await expect.poll(said).toContain('looks around passed');
    await page
      .getByRole('link', { name: /signs up/ })
      .first()
      .click();
    await page.getByText('WaitTimeoutError: No message matched').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/runs/${run}/${failing}`);
    await expect.poll(() => page.locator('.mailbox-lines [aria-current]').allInnerTexts()).toHaveLength(1);
    expect(await violationsOn(page)).toEqual([]);
    // The arrow keys go through tests and mailboxes alike.
    await page.locator('.mailbox-lines [aria-current]').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Signs up');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('count tests as their runner does, with the attempts at a test below it', async () => {
    const [first, second] = [ulid(), ulid()];
    await report(first, 'delivers', 'failed', [], 1);
    await report(second, 'delivers', 'passed', [], 2);
    for (const width of [390, 1440]) {
      const { page } = await fixture.open(`#/runs/${run}`, { width });
      await page.getByText(/: 1 failed, 1 flaky, \d passed$/).waitFor();
      const attempts = page.getByRole('list', { name: 'The attempts at shop › delivers' });
      const said = async () =>
        (await attempts.getByRole('link').allInnerTexts()).map((one) => one.split(/\s+/).join(' '));
      expect(await said()).toEqual(['failed Attempt 1 9.0 s', 'passed Attempt 2 9.0 s']);
      await attempts.getByRole('link', { name: /Attempt 1/ }).click();
      await attempts.getByText('WaitTimeoutError: No message matched').waitFor();
      expect(new URL(page.url()).hash).toBe(`#/runs/${run}/${first}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await violationsOn(page)).toEqual([]);
      await page.context().close();
    }
  });

  test('are found by the name of a test on a phone', async () => {
    for (let n = 0; n < 6; n++)
      await fixture.server.api(`/_mailcap/workspaces/${fixture.server.workspaceId}/mailboxes`, {
        json: { name: `Box ${n}` },
      });
    const { page } = await fixture.open('', { width: 390 });
    await page.getByTitle('Switch to another mailbox (m)').click();
    const dialog = page.getByRole('dialog', { name: 'Mailboxes' });
    await dialog
      .getByRole('link', { name: /signs up/ })
      .first()
      .waitFor();
    await dialog.getByRole('searchbox').fill('up again');
    await expect.poll(() => dialog.locator('.mailbox').count()).toBe(2);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  });
});
