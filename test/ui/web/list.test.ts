import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox, unreadIn } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the lists of the web inbox', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox({ limits: 'off' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const context of fixture.browser.contexts()) await context.close();
    await fixture.server.reset();
  });

  test('a message that was opened by a click and deleted leaves the list where it was', async () => {
    for (let n = 1; n <= 40; n++) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Mail 38/ }).click();
    await page.getByRole('heading', { name: 'Mail 38' }).waitFor();
    await page.keyboard.press('d');
    await expect.poll(() => page.getByRole('option', { name: /Mail 38/ }).count()).toBe(0);
    const rows = page.getByRole('listbox', { name: 'Messages, newest first' });
    expect(await rows.evaluate((list) => (list as unknown as { scrollTop: number }).scrollTop)).toBe(0);
    expect(await page.evaluate('document.activeElement.className')).toMatch(/\brows\b/);
    await page.getByRole('heading', { name: 'Mail 37' }).waitFor();
  });

  test('the words of a search are offered where one begins, and cover nothing that it found', async () => {
    for (const n of [1, 2]) await fixture.mail({ subject: `Invoice ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Invoice 2/ }).waitFor();
    await page.keyboard.press('/');
    const offered = page.getByRole('button', { name: 'has:code' });
    await offered.waitFor();
    await page.keyboard.type('invoice');
    await expect.poll(() => offered.count()).toBe(0);
    await page.keyboard.type(' ');
    await offered.click();
    await expect
      .poll(() => page.getByRole('searchbox', { name: 'Search this mailbox' }).inputValue())
      .toBe('invoice has:code');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    // The place of the heading belongs to it: no other element lies over it.
    await page.getByRole('heading', { name: 'Nothing found' }).click({ trial: true });
  });

  test('the offered words leave the chips free, and end a word that lacks its end', async () => {
    await fixture.mail({ subject: 'With a file', attachments: [{ filename: 'a.txt', content: 'a' }] });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /With a file/ }).waitFor();
    await page.keyboard.press('/');
    const field = page.getByRole('searchbox', { name: 'Search this mailbox' });
    const offered = page.locator('.search-words button');
    await page.keyboard.type('!has:att');
    await expect.poll(() => offered.allTextContents()).toEqual(['has:attachment']);
    await offered.click();
    await expect.poll(() => field.inputValue()).toBe('!has:attachment');
    expect(await offered.count()).toBe(0);
    await field.fill('has:');
    await expect.poll(() => offered.allTextContents()).toEqual(['has:code', 'has:link', 'has:attachment']);
    await field.fill('has:attachment ');
    await offered.first().waitFor();
    await page.getByRole('button', { name: 'Last hour' }).click();
    await expect.poll(() => field.inputValue()).toBe('has:attachment after:1h');
    await field.fill('form:shop');
    await page.getByText('A space at its end shows the search words').waitFor();
    await page.keyboard.type(' ');
    await offered.first().waitFor();
  });

  test('the number of results stands in the head of the list, without those that are being deleted', async () => {
    for (let n = 1; n <= 30; n++) await fixture.mail({ subject: n % 3 === 0 ? `Lamp ${n}` : `Chair ${n}` });
    const { page } = await fixture.open();
    const counted = page.locator('.count-all');
    await expect.poll(() => counted.textContent()).toBe('30 messages');
    await page.getByRole('searchbox', { name: 'Search this mailbox' }).fill('subject:chair');
    await expect.poll(() => counted.textContent()).toBe('20 found');
    await page.getByRole('option', { name: /Chair 29/ }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => counted.textContent()).toBe('19 found');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => counted.textContent()).toBe('20 found');
  });

  test('a result shows what was found, marked, and a half-typed word is no error', async () => {
    await fixture.mail({ subject: 'Receipt', text: 'Please confirm the ADDRESS of your shop.' });
    await fixture.mail({ subject: 'Other', text: 'Nothing.' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Other/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Search this mailbox' }).fill('address');
    const row = page.getByRole('option', { name: /Receipt.*Please confirm the ADDRESS of your shop/ });
    await row.waitFor();
    await expect.poll(() => row.locator('mark').allTextContents()).toEqual(['ADDRESS']);
    await page.getByRole('searchbox', { name: 'Search this mailbox' }).fill('subject:receipt from:');
    await expect.poll(() => page.locator('.row .subject mark').allTextContents()).toEqual(['Receipt']);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search this mailbox' }).fill('form:shop');
    await page.getByText('did you mean from:').waitFor();
  });

  test('chips add and remove words of the search, a cross clears it, and a search is saved for later', async () => {
    await fixture.mail({ subject: 'Your code', text: 'Your code is 481516.' });
    await fixture.mail({ subject: 'Other' });
    const { page, context, complaints } = await fixture.open();
    const field = page.getByRole('searchbox', { name: 'Search this mailbox' });
    await page.getByRole('option', { name: /Other/ }).waitFor();
    await page.getByRole('button', { name: 'With code' }).click();
    await expect.poll(() => field.inputValue()).toBe('has:code');
    await page.getByRole('option', { name: /Other/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Last hour' }).click();
    await expect.poll(() => field.inputValue()).toBe('has:code after:1h');
    await page.getByRole('option', { name: /Your code/ }).waitFor();
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByRole('button', { name: 'With code', pressed: true }).click();
    await expect.poll(() => field.inputValue()).toBe('after:1h');
    await page.getByRole('option', { name: /Other/ }).waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => field.inputValue()).toBe('');
    // The address follows a moment later.
    await expect.poll(() => page.url()).not.toContain('q=');
    await page.reload();
    await page.getByRole('button', { name: 'has:code after:1h' }).click();
    await page.getByRole('option', { name: /Your code/ }).waitFor();
    await page.getByRole('button', { name: 'Forget this search' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'has:code after:1h' }).count()).toBe(0);
    // What is wrong stands in line, and is no failure of the list.
    await field.fill('form:shop');
    await page.getByRole('alert').getByText('did you mean from:').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await field.fill('from:shop "your');
    await page.getByRole('option', { name: /Your code/ }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
    await context.close();
  });

  test('a letter that is typed while the address changes is kept', async () => {
    await fixture.mail({ subject: 'Invoice' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Invoice/ }).waitFor();
    // The second letter comes when the address has the first one and the page is not drawn yet, the third one after that.
    await page.evaluate(`(() => {
      const replace = history.replaceState.bind(history);
      history.replaceState = (...args) => {
        replace(...args);
        const field = document.querySelector('#search');
        if (field.value !== 'i') return;
        const type = (letter) => {
          field.value += letter;
          field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        };
        queueMicrotask(() => type('n'));
        const drawn = () => new Promise(requestAnimationFrame);
        void drawn().then(drawn).then(drawn).then(() => type('v'));
      };
    })()`);
    await page.keyboard.press('/');
    await page.keyboard.type('i');
    await expect.poll(() => new URL(page.url()).hash).toMatch(/q=\w+v$/);
    expect(await page.getByRole('searchbox', { name: 'Search this mailbox' }).inputValue()).toBe('inv');
  });

  test('an unfinished search does not move to another mailbox, nor back from it', async () => {
    const path = `/_mailcap/workspaces/${fixture.server.workspaceId}/mailboxes`;
    const { id } = await json<{ id: string }>(fixture.server.api(path, { json: { name: 'Other' } }));
    await fixture.mail({ subject: 'Invoice' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Invoice/ }).waitFor();
    await page.getByRole('link', { name: 'Other' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search this mailbox' }).focus();
    // Both happen in one task, so the pause after which the search begins is not over.
    await page.evaluate(`(() => {
      const field = document.querySelector('#search');
      field.value = 'zzz';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      document.querySelector('a[href="#/mail/${id}"]').click();
    })()`);
    await page.getByRole('heading', { name: 'No mail here yet' }).waitFor();
    await page.keyboard.type('later');
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/mail/${id}?q=later`);
  });

  test('selecting rows does not move them, and the letters of a following search trigger no action', async () => {
    for (let n = 1; n <= 3; n++) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    const row = page.getByRole('option', { name: /Mail 3/ });
    await row.waitFor();
    const before = await row.boundingBox();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    expect(await row.boundingBox()).toEqual(before);
    await page.keyboard.type('/deer');
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search this mailbox' }).inputValue()).toBe('deer');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('selecting all selects the visible list, without new mail that waits above it', async () => {
    for (let n = 1; n <= 3; n++) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Mail 3/ }).waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await fixture.mail({ subject: 'Not seen' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.getByRole('button', { name: 'Select all 3' }).click();
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('d');
    await page.getByText('3 messages deleted.').waitFor();
    await page.getByRole('option', { name: /Not seen/ }).waitFor();
    expect(await page.getByRole('option').count()).toBe(1);
  });

  test('a range of rows shrinks when it is extended back', async () => {
    for (let n = 1; n <= 4; n++) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Mail 4/ }).waitFor();
    for (const key of ['x', 'J', 'J']) await page.keyboard.press(key);
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('K');
    await page.getByText('2 selected').waitFor();
    expect(await page.locator('.row.chosen').allTextContents()).toEqual([
      expect.stringContaining('Mail 4'),
      expect.stringContaining('Mail 3'),
    ]);
  });

  test('all messages of a list are chosen, read and deleted, also those that are not loaded', async () => {
    for (let n = 1; n <= 60; n++) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Mail 60/ }).waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('20 selected, those that are loaded').waitFor();
    await page.getByRole('button', { name: 'Select all 60' }).click();
    await page.getByText('All 60 selected').waitFor();
    await page.getByRole('button', { name: 'Mark read' }).click();
    await expect.poll(() => unreadIn(page)).toBe(0);
    await page.getByRole('searchbox', { name: 'Search this mailbox' }).fill('subject:1');
    await expect.poll(() => page.locator('.count-all').textContent()).toBe('15 found');
    const { page: other } = await fixture.open();
    await other.getByRole('option', { name: /Mail 60/ }).waitFor();
    await other.keyboard.press('Control+a');
    await other.getByRole('button', { name: 'Select all 60' }).click();
    await other.getByText('All 60 selected').waitFor();
    await other.keyboard.press('d');
    // What cannot be undone is asked.
    await other.getByRole('dialog', { name: 'Delete 60 messages in Inbox?' }).getByText('Delete all').click();
    await other.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  });

  test('new mail is told in the head of the list, and covers no row', async () => {
    for (const n of [1, 2]) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Mail 2/ }).click();
    const row = page.getByRole('option').first();
    const before = await row.boundingBox();
    await fixture.mail({ subject: 'Mail 3' });
    const told = page.getByRole('button', { name: '1 new' });
    const box = await told.boundingBox();
    expect((box?.y ?? 1_000) + (box?.height ?? 0)).toBeLessThanOrEqual(before?.y ?? 0);
    expect(await row.boundingBox()).toEqual(before);
    await told.click();
    await page.getByRole('option', { name: /Mail 3/ }).waitFor();
  });

  test('a message that is opened by its address is found in the list, and n opens the one below it', async () => {
    for (let n = 1; n <= 60; n++) await fixture.mail({ subject: `Mail ${n}.` });
    const { items } = await json<{ items: { id: string; subject: string }[] }>(
      fixture.server.api(`/_mailcap/mailboxes/${fixture.server.mailboxId}/messages?limit=100`),
    );
    const id = items.find(({ subject }) => subject === 'Mail 10.')?.id;
    const { page } = await fixture.open(`#/messages/${id}`);
    await page.getByRole('heading', { name: 'Mail 10.' }).waitFor();
    const row = page.locator('.row.open.at', { hasText: 'Mail 10.' });
    await row.waitFor();
    // It is in sight, and not only in the list.
    await row.click({ trial: true });
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'Mail 9.' }).waitFor();
    await page.goto(`${fixture.server.url}/#/messages/01KAH7R0ZD6E4N1KX3M5P7R9S2`);
    await page.getByRole('heading', { name: 'The message is gone' }).waitFor();
    await page.getByText('This message no longer exists').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('on a wide page the list is a table that names times to the second, and the mailbox where all are shown', async () => {
    const path = `/_mailcap/workspaces/${fixture.server.workspaceId}/mailboxes`;
    const box = { name: 'Sign up', subdomain: 'sign-up' };
    await fixture.server.api(path, { json: box });
    await fixture.mail({ subject: 'In one' });
    await fixture.mail({ subject: 'In another', to: 'x@sign-up.mailcap.example.com' });
    const { page } = await fixture.open('#/mail/all', { width: 1_920, height: 1_080 });
    const row = page.getByRole('option', { name: /In another/ });
    await row.waitFor();
    expect((await row.boundingBox())?.width).toBeGreaterThan(1_600);
    expect(await row.locator('.in').textContent()).toBe('Sign up');
    expect(await row.locator('time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await row.locator('time').getAttribute('title')).toMatch(/^today, \d\d:\d\d:\d\d$/);
    expect(await row.locator('.size').textContent()).toMatch(/ B$/);
    expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(500);
    // A message opens beside a list of two lines, which has the same row in sight.
    await row.click();
    await page.getByRole('heading', { name: 'In another' }).waitFor();
    await page.locator('.people').getByRole('link', { name: 'Sign up' }).waitFor();
    expect((await row.boundingBox())?.width).toBeLessThan(500);
    expect(await row.locator('.in').textContent()).toBe('Sign up');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await row.boundingBox())?.width).toBeGreaterThan(1_600);
  });

  test('new mail that waits is shown when the last message below it is deleted', async () => {
    await fixture.mail({ subject: 'The only one' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /The only one/ }).click();
    await page.getByRole('heading', { name: 'The only one' }).waitFor();
    await fixture.mail({ subject: 'Meanwhile' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.keyboard.press('d');
    await page.getByRole('option', { name: /Meanwhile/ }).waitFor();
    expect(await page.getByRole('option').count()).toBe(1);
    expect(await page.getByRole('heading', { name: 'Send the first mail' }).count()).toBe(0);
  });

  test('a subject that is read from the right begins at the right edge, and its first words are not cut off', async () => {
    const subject = 'مرحبا بالعالم رمز التحقق من المتجر الكبير في وسط المدينة القديمة اليوم';
    await fixture.mail({ subject, text: 'رمز التحقق الخاص بك هو في هذه الرسالة' });
    const { page } = await fixture.open('', { width: 820 });
    const line = page.locator('.row .what');
    await line.locator('.snippet-text').waitFor({ state: 'attached' });
    const apart = await page.evaluate<number>(`(() => {
      const line = document.querySelector('.row .what');
      const range = document.createRange();
      range.setStart(line.querySelector('.subject').firstChild, 0);
      range.setEnd(line.querySelector('.subject').firstChild, 5);
      return line.getBoundingClientRect().right - range.getBoundingClientRect().right;
    })()`);
    expect(Math.abs(apart)).toBeLessThan(2);
  });

  test.each([390, 820])(
    'a sender that is read from the right begins at the right end of its line, and a long one loses its end, at %i pixels',
    async (width) => {
      const name = 'متجر المدينة القديمة للكتب والهدايا والزهور والحلويات والعطور والأقمشة';
      await fixture.mail({ from: `"${name} ${name}" <shop@shop.test>`, subject: 'From the right' });
      await fixture.mail({ from: 'Left <left@shop.test>', subject: 'From the left' });
      const { page } = await fixture.open('', { width });
      await page.getByRole('option', { name: /From the right/ }).waitFor();
      const factsOf = (subject: string) =>
        page.evaluate<{ gap: number; isCut: boolean; direction: string }>(`(() => {
          const row = [...document.querySelectorAll('.row')].find((one) => one.textContent.includes('${subject}'));
          const line = row.querySelector('.from');
          const range = document.createRange();
          const text = line.querySelector('.who').firstChild;
          range.setStart(text, 0);
          range.setEnd(text, 4);
          return {
            direction: getComputedStyle(line).direction,
            gap: Math.abs(line.getBoundingClientRect().right - range.getBoundingClientRect().right),
            isCut: line.scrollWidth > line.clientWidth,
          };
        })()`);
      expect(await factsOf('From the left')).toMatchObject({ direction: 'ltr' });
      const facts = await factsOf('From the right');
      expect(facts).toEqual({ direction: 'rtl', gap: expect.any(Number), isCut: true });
      expect(facts.gap).toBeLessThan(2);
      await page.context().close();
    },
  );

  test('the open mailbox is in the sidebar, however many come before it', async () => {
    const path = `/_mailcap/workspaces/${fixture.server.workspaceId}/mailboxes`;
    for (let n = 1; n <= 60; n++) await fixture.server.api(path, { json: { name: `Box ${n}` } });
    const { id } = await json<{ id: string }>(fixture.server.api(path, { json: { name: 'Far down' } }));
    const { page } = await fixture.open(`#/mail/${id}`);
    const current = page.getByRole('link', { name: 'Far down' });
    await expect.poll(() => current.getAttribute('aria-current')).toBe('true');
    await current.click({ trial: true });
    // The other pages are in sight all the time, and the list of mailboxes is one stop of the Tab key.
    const tools = page.getByRole('link', { name: 'Tools' });
    expect((await tools.boundingBox())?.y).toBeLessThan(400);
    const stops = 'document.querySelectorAll(\'.mailbox-lines a[tabindex="0"]\').length';
    expect(await page.evaluate(stops)).toBe(1);
    await current.focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Box 60');
    await page.keyboard.press('Home');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('All mailboxes');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Box 1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Box 1' }).waitFor();
    expect(await page.evaluate(stops)).toBe(1);
  });

  test('mailboxes stand under their workers, those with a waiting or a failed test first, and names keep their ends', async () => {
    const { server } = fixture;
    const workers: string[] = [];
    for (const name of [
      'playwright worker 0 (process 7 of 0123456789abcdef)',
      'playwright worker 1 (of 0123456789abcdef, kept by 42 of fedcba9876543210)',
      'playwright worker 2 (process 8 of 0123456789abcdef)',
    ]) {
      const worker = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: { name } }));
      workers.push(worker.id);
    }
    const boxes: string[] = [];
    for (const [at, id] of workers.entries())
      for (const n of [1, 2]) {
        const name = `mails a code to the new account of the customer of the shop ${at}${n}abcd`;
        const box = await json<{ id: string }>(server.api(`/_mailcap/workspaces/${id}/mailboxes`, { json: { name } }));
        boxes.push(box.id);
      }
    const call = new AbortController();
    const held = server
      .api(`/_mailcap/mailboxes/${boxes[5]}/await?subject=x&timeout=60`, { signal: call.signal })
      .catch(() => null);
    const { page } = await fixture.open();
    await expect
      .poll(() => page.locator('.mailbox-lines .group').allTextContents())
      .toEqual([
        'mailcap',
        'playwright worker 2a test waits',
        'playwright worker 1a test failed',
        'playwright worker 0',
      ]);
    const names = await page.locator('.mailbox-lines .end').allTextContents();
    expect(names.map((name) => name.trim())).toEqual(
      [
        ['22', '21'],
        ['11', '12'],
        ['01', '02'],
      ]
        .flat()
        .map((n) => expect.stringMatching(new RegExp(`${n}abcd$`))),
    );
    // The end of each name is seen, however long the name is.
    for (const end of await page.locator('.mailbox-lines .end').all()) {
      const box = await end.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 1_000)).toBeLessThan(240);
    }
    call.abort();
    await held;
  });

  test('a mail of many attachments loads the pictures of the first hundred, and the others when asked', async () => {
    const picture = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
    const attachments = Array.from({ length: 150 }, (_none, n) => ({ filename: `p${n}.gif`, content: picture }));
    await fixture.mail({ subject: 'Many pictures', attachments });
    const { page } = await fixture.open();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/attachments/')) asked += 1;
    });
    await page.getByRole('option', { name: /Many pictures/ }).click();
    // The first ones also stand below the text.
    await page.getByRole('img', { name: 'Preview of p5.gif' }).waitFor();
    const below = asked;
    expect(below).toBe(6);
    await page.getByRole('tab', { name: 'Attachments' }).click();
    await page.getByRole('img', { name: 'Preview of p99.gif' }).waitFor();
    expect(asked - below).toBe(100);
    await page.getByRole('button', { name: '50 more' }).click();
    await page.getByRole('img', { name: 'Preview of p149.gif' }).waitFor();
    expect(asked - below).toBe(150);
  });

  /** Makes a mailbox, and returns an address of it. */
  const newMailbox = async (name: string) => {
    const { server } = fixture;
    await server.api(`/_mailcap/workspaces/${server.workspaceId}/mailboxes`, {
      json: { name, subdomain: `copy-${name}`.toLowerCase() },
    });
    return `ada@copy-${name.toLowerCase()}.mailcap.example.com`;
  };

  test('the copies of one mail are one row that names their mailboxes, and what is done to it is done to each', async () => {
    const to = ['ada@inbox.mailcap.example.com', await newMailbox('Sales'), await newMailbox('Support')];
    await fixture.mail({ subject: 'To three', to });
    await fixture.mail({ subject: 'To one' });
    const { page, context } = await fixture.open('#/mail/all');
    const rows = page.getByRole('option');
    const three = page.getByRole('option', { name: /To three/ });
    await page.getByRole('option', { name: /To one/ }).waitFor();
    await expect.poll(() => three.count()).toBe(1);
    expect(await three.innerText()).toMatch(/Inbox, Sales, Support[\s\S]*3 copies/);
    const unread = async () => {
      const query = encodeURIComponent('"To three" is:unread');
      return (await json<{ items: unknown[] }>(fixture.server.api(`/_mailcap/messages?query=${query}`))).items.length;
    };
    const marked = async () => (await three.first().getAttribute('class'))?.includes('unread');
    expect([await unread(), await marked()]).toEqual([3, true]);
    // The arrow keys unfold and fold it, and the copies keep their order.
    await page.locator('.rows').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => rows.locator('.copies').allTextContents())
      .toEqual(['3 copies, unfolded', 'copy 2 of 3', 'copy 3 of 3']);
    expect((await rows.locator('.in').allInnerTexts()).slice(0, 4)).toEqual(['Inbox', 'Support', 'Sales', 'Inbox']);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => three.count()).toBe(1);
    // To open it is to read each copy.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await expect.poll(unread).toBe(0);
    await expect.poll(marked).toBe(false);
    // A pointer unfolds it by the words.
    await three.locator('.copies').click();
    await expect.poll(() => three.count()).toBe(3);
    await three.locator('.copies').first().click();
    await expect.poll(() => three.count()).toBe(1);
    // Chosen and deleted as one, with one undo for all.
    await page.locator('.rows').focus();
    await page.keyboard.press('x');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('d');
    await page.getByText('3 messages deleted').or(page.getByText('3 copies of')).first().waitFor();
    await expect.poll(() => three.count()).toBe(0);
    await page.keyboard.press('z');
    await expect.poll(() => three.count()).toBe(1);
    expect(await three.locator('.copies').textContent()).toBe('3 copies, folded');
    // A search folds them too, and so does a mailbox, which holds one copy.
    await page.goto(`${fixture.server.url}/#/mail/all?q=%22To+three%22`);
    await page.getByText('3 messages found').first().waitFor();
    expect(await three.count()).toBe(1);
    await page.goto(`${fixture.server.url}/#/mail/${fixture.server.mailboxId}`);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await three.waitFor();
    expect(await page.locator('.copies').count()).toBe(0);
    await context.close();
  });

  test('a mail that a mailbox sends to itself is one row from the moment that its copy comes', async () => {
    const { server } = fixture;
    await fixture.mail({ subject: 'Before it' });
    const { page, context } = await fixture.open(`#/mail/${server.mailboxId}`);
    await page.getByRole('option', { name: /Before it/ }).waitFor();
    const own = 'me@inbox.mailcap.example.com';
    const sent = await server.api(`/_mailcap/mailboxes/${server.mailboxId}/send`, {
      json: { from: own, to: own, subject: 'To myself', textBody: 'Hello' },
    });
    expect(sent.ok).toBe(true);
    const mine = page.getByRole('option', { name: /To myself/ });
    await mine.locator('.copies').waitFor();
    expect(await mine.count()).toBe(1);
    expect(await mine.locator('.copies').textContent()).toBe('sent and received, folded');
    await page.reload();
    await mine.locator('.copies').waitFor();
    expect(await mine.count()).toBe(1);
    await context.close();
  });

  test('a mail whose copies lie on two pages of the list is one row, and its oldest copy is loaded once', async () => {
    const many = await Promise.all(Array.from({ length: 30 }, (_none, at) => newMailbox(`Page-${at}`)));
    await fixture.mail({ subject: 'Before it', to: many[0] });
    await fixture.mail({ subject: 'To thirty', to: many });
    const { page, context } = await fixture.open('#/mail/all');
    const thirty = page.getByRole('option', { name: /To thirty/ });
    await page.getByRole('option', { name: /Before it/ }).waitFor();
    expect(await thirty.count()).toBe(1);
    expect(await thirty.locator('.copies').textContent()).toBe('30 copies, folded');
    await context.close();
  });
});
