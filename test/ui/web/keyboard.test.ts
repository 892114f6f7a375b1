import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { byDay } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { type Filled, fillWithEverything } from './one-of-everything.ts';
import { clipboard, type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

/** Marks the controls that the Tab key has to reach, and returns their names. Of a radio-like group one is enough. */
const CONTROLS = `[...document.querySelectorAll('button, a[href], input, select, textarea, summary, [tabindex="0"]')]
  .filter((element) => {
    if (element.disabled || element.closest('[inert], dialog') || element.getAttribute('tabindex') === '-1') return false;
    if (element.closest('details:not([open])') && !element.matches('summary')) return false;
    return element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  })
  .map((element, index) => {
    element.dataset.control = index;
    return (element.getAttribute('aria-label') ?? element.textContent.trim() ?? '').slice(0, 40) || element.outerHTML.slice(0, 80);
  })`;

/** Tells which control has the focus, and whether that can be seen. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const around = element.closest('label, .search');
  const after = getComputedStyle(element, '::after');
  return {
    control: element.dataset.control ?? null,
    isSeen: outlineStyle !== 'none' || boxShadow !== 'none' || (after.content !== 'none' && after.backgroundColor !== 'rgba(0, 0, 0, 0)') ||
      (around !== null && getComputedStyle(around).outlineStyle !== 'none'),
    name: element.outerHTML.slice(0, 100),
  };
})()`;

interface Focused {
  readonly control: string | null;
  readonly isSeen: boolean;
  readonly name: string;
}

/** Tells whether a condition in the page becomes true. */
function becomes(page: Page, condition: string): Promise<boolean> {
  return page.waitForFunction(condition, undefined, { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Presses Tab until a control has the focus. */
async function reach(page: Page, role: 'button' | 'textbox' | 'tab', name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name }).first();
  await wanted.waitFor();
  for (let pressed = 0; pressed < 80; pressed++) {
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab did not reach ${role} ${name}`);
}

unless(describe, NO_BROWSER)('by the keyboard alone', { timeout: 300_000 }, () => {
  let fixture: InboxFixture;
  let filled: Filled;
  beforeAll(async () => {
    fixture = await openInbox();
    filled = await fillWithEverything(fixture);
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('the code of a row is copied once it is there, although the key came before it', async () => {
    const { page, complaints } = await fixture.open();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/_mailcap/messages/previews*', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('option', { name: /Your code/ }).waitFor();
    await page.keyboard.press('c');
    // The page says nothing before it knows.
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
    release();
    await page.getByText('Copied the code: 481516').waitFor();
    expect(await clipboard(page)).toBe('481516');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('Tab reaches every control of every page, shows where it is, and leaves it again', async () => {
    const { server } = fixture;
    const { page } = await fixture.open();
    const { message, attached, webhook, request } = filled;
    const wrong: string[] = [];
    const views = [
      ['', '.row'],
      ...['html', 'headers', 'parts', 'source', 'attachments', 'delivery', 'checks'].map((tab) => [
        `${message}/${tab}`,
        '.message-pane .view > *',
      ]),
      [attached, '.way-back .actions'],
      ['#/webhooks?form=new', '.form'],
      [`${webhook}?form=answer`, '.form'],
      [`${webhook}?form=script`, '.message-pane .form-actions'],
      ...['body', 'signature', 'forward'].map((tab) => [`${request}/${tab}`, '.message-pane .view > *']),
      ['#/timeline', '.timeline'],
      ['#/waiting', '.page .empty'],
      [`#/why/${server.mailboxId}`, '.diagnosis'],
      ['#/outbound/compose', '.form'],
      ['#/outbound/suppression', '.form'],
      ['#/outbound/wallet', '.figure'],
      ['#/authenticators?form=new', '.form'],
      ...['use', 'faults', 'clock', 'keys', 'workspaces', 'server'].map((tool) => [
        `#/tools/${tool}`,
        '[role=tabpanel] > *',
      ]),
    ] as const;
    for (const [hash, wait] of byDay(views, (_, at) => at % 5 === 0)) {
      await page.goto('about:blank');
      await page.goto(`${server.url}/${hash}`);
      await page
        .locator(wait ?? '')
        .first()
        .waitFor();
      const controls = await page.evaluate<string[]>(CONTROLS);
      expect(controls.length).toBeGreaterThan(5);
      const reached = new Set<string>();
      for (let pressed = 0; pressed < controls.length + 20; pressed++) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate<Focused | null>(FOCUSED);
        if (focused === null) continue;
        // The page hears a moment later that the focus went into the frame of a mail.
        const isSeen = focused.isSeen || (await becomes(page, `${FOCUSED}?.isSeen === true`));
        if (!isSeen) wrong.push(`${hash}: the focus is not seen at ${focused.name}`);
        if (focused.control !== null) reached.add(focused.control);
      }
      for (const [index, name] of controls.entries())
        if (!reached.has(String(index))) wrong.push(`${hash}: Tab does not reach ${name}`);
    }
    expect([...new Set(wrong)]).toEqual([]);
  });

  test('a webhook is created and scripted, gets a request, and shows it raw', async () => {
    const { page } = await fixture.open();
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('2');
    await reach(page, 'button', 'New webhook');
    await page.keyboard.press('Enter');
    await reach(page, 'textbox', 'Name');
    await page.keyboard.type('Builds');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Builds' }).waitFor();
    const url = (await page.locator('.address').textContent()) ?? '';
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"ok":[1]}' });
    await page.getByRole('option', { name: /POST/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('"ok"').waitFor();
    await reach(page, 'button', 'Raw');
    await page.keyboard.press('Space');
    await page.getByText('{"ok":[1]}').waitFor();
    await expect.poll(() => page.url()).toContain('as=raw');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  });

  test('a fault rule is added, an authenticator shows its codes, and a mail is sent', async () => {
    const { page } = await fixture.open('#/tools/faults');
    const rules = async (): Promise<number> => (await json<unknown[]>(fixture.server.api('/_mailcap/faults'))).length;
    const before = await rules();
    await reach(page, 'button', /Add|Make|Apply/);
    await page.keyboard.press('Enter');
    await expect.poll(rules).toBe(before + 1);
    await fixture.server.api('/_mailcap/faults', { method: 'PUT', json: [] });
    await page.keyboard.press('7');
    await reach(page, 'button', 'New authenticator');
    await page.keyboard.press('Enter');
    await reach(page, 'textbox', 'Name');
    await page.keyboard.type('Bank');
    await reach(page, 'textbox', /Secret/);
    await page.keyboard.type('JBSWY3DPEHPK3PXP');
    await page.keyboard.press('Enter');
    await page.getByText('Bank').first().waitFor();
    await page.keyboard.press('6');
    await reach(page, 'tab', 'Sends');
    await page.keyboard.press('ArrowRight');
    await reach(page, 'textbox', 'To');
    await page.keyboard.type('ada@inbox.mailcap.example.com');
    await reach(page, 'textbox', 'Subject');
    await page.keyboard.type('By keys');
    await reach(page, 'textbox', 'Text');
    await page.keyboard.type('Typed');
    await reach(page, 'button', 'Send');
    await page.keyboard.press('Enter');
    await page
      .getByRole('option', { name: /By keys/ })
      .or(page.getByText(/outbound/i))
      .first()
      .waitFor();
  });

  test('a click into a mail takes the keys only until the pointer leaves it, and says so meanwhile', async () => {
    // The Tab key passes over a mail that has no link and fits its frame.
    await fixture.mail({
      subject: 'With a link',
      text: 'Your code is 481516.',
      html: '<p>Your code is <b>481516</b>. <a href="https://app.test/x">Go on</a> <img src="http://elsewhere.test/a.png"></p>',
    });
    const { page, context } = await fixture.open();
    await page.getByRole('option', { name: /With a link/ }).click();
    await page.getByRole('heading', { name: 'With a link' }).waitFor();
    const mail = page.frameLocator('.view iframe').getByText('481516');
    await mail.dblclick();
    const note = page.getByText('Keys go to the mail.');
    await note.waitFor();
    // What was selected in the mail can be copied.
    await page.keyboard.press('Control+c');
    await expect.poll(() => clipboard(page)).toBe('481516');
    await page.getByRole('tab', { name: 'HTML' }).hover();
    await expect.poll(() => note.count()).toBe(0);
    await page.keyboard.press('h');
    await page.getByRole('tab', { name: 'Headers', selected: true }).waitFor();
    // Whoever comes by the Tab key stays in the mail, and goes on with the next Tab.
    await page.keyboard.press('b');
    await page.getByRole('tab', { name: 'Text', selected: true }).waitFor();
    await page.keyboard.press('b');
    // A frame that has nothing yet takes no focus.
    await mail.waitFor();
    await page.getByRole('button', { name: 'Show all of it' }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
    await page.getByRole('tab', { name: 'HTML' }).hover();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
    await context.close();
  });

  test('a text is found in a mail, in the words of its HTML if that is shown, and in a captured request', async () => {
    await fixture.mail({
      subject: 'Long',
      text: 'Another text',
      html: `<p>Unicorn one</p>${'<p>x</p>'.repeat(100)}<p>a UNIcorn again</p>`,
    });
    await fixture.mail({ subject: 'Newest' });
    const { page, context, complaints } = await fixture.open();
    await page.getByRole('option', { name: /Long/ }).click();
    await page.locator('.view iframe').waitFor();
    await page.locator('#message').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('unicorn');
    await page.getByText('1 of 2').waitFor();
    await page.getByRole('tab', { name: 'HTML', selected: true }).waitFor();
    expect(await page.evaluate('[...CSS.highlights.get("found")].map(String)')).toEqual(['Unicorn', 'UNIcorn']);
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2').waitFor();
    // The match is in sight.
    const [match, pane] = await page.evaluate<[number, number]>(
      '[[...CSS.highlights.get("found-now")][0].getBoundingClientRect().bottom, document.getElementById("message").getBoundingClientRect().bottom]',
    );
    expect(match).toBeLessThan(pane);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('CSS.highlights.size')).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('message');
    await page.keyboard.press('/');
    await page.keyboard.type('Uni');
    await page.getByText('1 of 2').waitFor();
    await page.locator('#message').focus();
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
    await page.keyboard.press('N');
    await page.getByText('1 of 2').waitFor();
    await page.goto(`${fixture.server.url}/${filled.request}`);
    await page.getByText('"amount"').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('AMOUNT');
    await page.getByText('1 of 1').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a mailbox among 500 is found and opened', async () => {
    const { server } = fixture;
    for (let at = 0; at < 500; at += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          json(
            server.api(`/_mailcap/workspaces/${server.workspaceId}/mailboxes`, {
              json: { name: `Box ${at + n}`, subdomain: `box${at + n}` },
            }),
          ),
        ),
      );
    const { page, complaints } = await fixture.open();
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Mailboxes' });
    await dialog.waitFor();
    expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(500);
    await page.keyboard.type('box 48');
    await expect.poll(() => dialog.getByRole('link').count()).toBe(11);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.count()).toBe(0);
    const second = await page.getByRole('heading', { name: /Box 48/ }).textContent();
    await page.keyboard.press('m');
    await page.keyboard.type('box 499');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Box 499' }).waitFor();
    expect(second).toMatch(/^Box 48\d?$/);
    expect(complaints).toEqual([]);
  });
});
