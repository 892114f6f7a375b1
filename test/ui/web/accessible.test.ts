import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byDay } from '../../support/night.ts';
import { CAN_RUN, type Desk, openDesk } from './desk.ts';
import { fillWithEverything } from './one-of-everything.ts';

describe.runIf(CAN_RUN)('every view without a violation of WCAG', { timeout: 300_000 }, () => {
  let desk: Desk;
  let views: readonly (readonly [name: string, hash: string, wait: string])[];
  beforeAll(async () => {
    desk = await openDesk();
    const { server } = desk;
    const { message, request } = await fillWithEverything(desk);
    views = [
      ['list', '', '.row'],
      ...(['html', 'text', 'headers', 'parts', 'source', 'attachments', 'delivery', 'checks'] as const).map(
        (tab) => [tab, `${message}/${tab}`, '.message-pane .view > *'] as const,
      ),
      ['nothing found', `#/mail/${server.mailboxId}?q=nowhere`, '.empty'],
      ['webhooks', '#/webhooks', '.cards'],
      ...(['body', 'headers', 'difference', 'signature', 'forward'] as const).map(
        (tab) => [`request ${tab}`, `${request}/${tab}`, '.message-pane .view > *'] as const,
      ),
      ['timeline', '#/timeline', '.timeline'],
      ['waiting', '#/waiting', '.page .empty'],
      ['why', `#/why/${server.mailboxId}`, '.diagnosis'],
      ['sends', '#/outbound', '.page .empty'],
      ['compose', '#/outbound/compose', '.form'],
      ['suppression', '#/outbound/suppression', '.form'],
      ['wallet', '#/outbound/wallet', '.figure'],
      ['authenticators', '#/authenticators', '.codes'],
      ...(['use', 'faults', 'clock', 'keys', 'workspaces', 'server'] as const).map(
        (tool) => [`tool ${tool}`, `#/tools/${tool}`, '[role=tabpanel] > *'] as const,
      ),
    ];
  }, 180_000);
  afterAll(() => desk[Symbol.asyncDispose]());

  test.each(['light', 'dark'] as const)('in the %s', async (scheme) => {
    const { page } = await desk.open('', { scheme });
    const found: string[] = [];
    // By day the dark one is looked at where the light one is not, and one view is seen in both.
    for (const [name, hash, wait] of byDay(views, (_, at) => at === 0 || (at % 2 === 0) === (scheme === 'light'))) {
      await page.goto(`${desk.server.url}/${hash}`);
      await page.locator(wait).first().waitFor();
      // The sender is responsible for the mail's own HTML.
      const axe = new AxeBuilder({ page }).setLegacyMode().exclude('iframe');
      const { violations } = await axe.analyze();
      for (const { id, nodes } of violations)
        found.push(`${name}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
    }
    expect(found).toEqual([]);
  });

  test('dialogs, too', async () => {
    const { page } = await desk.open();
    await page.locator('.row').first().waitFor();
    const found: string[] = [];
    for (const key of ['?', 'Control+k', 'm']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      for (const { id, nodes } of violations)
        found.push(`${key}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    }
    expect(found).toEqual([]);
  });
});
