import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { readableText } from '../../../src/extract/readable-text.ts';
import { widthOf } from '../../../src/text/width.ts';
import { commandOf, type InboxCommand, keyName, TERMINAL_KEYS } from '../../../ui/model/keys.ts';
import type { MailRow } from '../../../ui/model/message-list.ts';
import { type Inbox, initialInbox, isReading, readScroll } from '../../../ui/terminal/model/inbox.ts';
import type { Input } from '../../../ui/terminal/model/inputs.ts';
import type { Mail, RequestRow } from '../../../ui/terminal/model/resources.ts';
import { update } from '../../../ui/terminal/model/update.ts';
import { findInLines } from '../../../ui/terminal/text/find.ts';
import { createStyle, unstyled } from '../../../ui/terminal/text/style.ts';
import { frameOf, openTextLines } from '../../../ui/terminal/views/frame.ts';
import { layoutOf } from '../../../ui/terminal/views/layout.ts';
import { whereOf } from '../../../ui/terminal/views/overlay-lines.ts';
import { byDay } from '../../support/night.ts';

const NOW = new Date(2026, 10, 21, 14, 3).getTime();
/** By day every 13th width, even and odd ones, the narrowest and the widest. */
const WIDTHS = byDay(
  Array.from({ length: 161 }, (_, at) => 40 + at),
  (width) => width % 13 === 1 || width === 200,
);
const HEIGHTS = [10, 24, 50];
const STYLE = createStyle('colour');

const SUBJECTS = [
  'Your sign-in code is 481516',
  '',
  'ご注文の確認：発送は明日になります'.repeat(4),
  '🎉 👩‍👩‍👧‍👦 ❤️ family',
  '\u001b[2J\u001b]0;owned\u0007 \u202egpj.exe',
  'x'.repeat(300),
];
const HTML =
  '<h1>News</h1><ul><li>one <b>bold</b></li><li>two<ul><li>inside</li></ul></li></ul>' +
  '<p><a href="https://x.test/verify?t=1">Verify</a> <img alt="Acme logo"></p>';
const LINKS = [
  { url: 'https://x.test/verify?t=1', text: 'Verify', kind: 'verify', tracker: null },
  { url: `https://x.test/${'a'.repeat(400)}END`, text: 'long', kind: 'other', tracker: 'Mailgun' },
];

const rows: readonly MailRow[] = Array.from({ length: 80 }, (_, at) => ({
  id: String(1000 - at).padStart(6, '0'),
  from: at % 5 === 3 ? '' : `App ${at} <app@example.com>`,
  to: at % 7 === 5 ? 'a@x.test, b@y.test' : `user${at}@inbox.mailcap.example.com`,
  subject: SUBJECTS[at] ?? `Your order ${at} is on its way`,
  receivedAt: NOW - at * 40 * 60_000,
  sizeBytes: 10 ** (at % 8),
  attachmentCount: at % 4 === 0 ? 12 : 0,
}));
const mailOf = (row: MailRow): Mail => ({
  ...row,
  ...{ date: null, cc: null, bcc: null, replyTo: null, spf: 'pass', parseError: null, envelope: null },
  text: `The beginning.\n${'A line of the text that is long enough to be broken at most widths. '.repeat(15)}\nThe needle\nis here.`,
  html: readableText(HTML, () => 1),
  headers: [
    ['to', row.to],
    ['x-long', 'v'.repeat(500)],
  ],
  attachments: [
    { id: 'p1', name: 'report.pdf', contentType: 'application/pdf', sizeBytes: 48_213, infected: false },
    { id: 'p2', name: `${'語'.repeat(90)}.exe`, contentType: 'application/x', sizeBytes: 1, infected: true },
  ],
  codes: [{ code: '481516', reason: 'after “code”', ambiguous: false }],
  links: LINKS,
});
const request: RequestRow = {
  ...{ id: '1', method: 'POST', path: `/orders?${'q'.repeat(300)}`, contentType: 'application/json', sizeBytes: 12 },
  ...{ receivedAt: NOW, responseStatus: 202, forward: 'failed', forwardHttpStatus: 500 },
};

/** An inbox that receives inputs, as a shell would drive it on a screen of this size. */
class Stage {
  inbox: Inbox;
  readonly layout;
  #key: readonly unknown[] = [];
  #lines: readonly string[] = [];

  constructor(columns: number, screenRows: number) {
    this.layout = layoutOf({ columns, rows: screenRows });
    [this.inbox] = initialInbox(1);
    const address = '*@inbox.mailcap.example.com';
    this.give(
      { is: 'server', server: { url: 'http://127.0.0.1:8025', local: true } },
      { is: 'connected' },
      { is: 'mailboxes', mailboxes: [{ id: 'm', name: 'Inbox', address }], openId: 'm' },
    );
  }

  give(...inputs: Input[]): this {
    for (const input of inputs) {
      [this.inbox] = update(this.inbox, input);
      const { height, split } = this.layout;
      [this.inbox] = update(this.inbox, { is: 'resized', height, besides: split });
      if (isReading(this.inbox) === null) continue;
      const { lines, matches } = this.reading();
      const found = matches.map((match) => match[0]?.line ?? 0);
      [this.inbox] = update(this.inbox, { is: 'measured', lines: lines.length, height, matches: found });
    }
    return this;
  }

  press(...commands: InboxCommand[]): this {
    return this.give(...commands.map((command): Input => ({ is: 'command', command })));
  }

  withMail(): this {
    const found = rows.map(({ id }, at) => [id, { codes: at % 3 === 0 ? ['481516'] : [], snippet: '' }] as const);
    this.give({ is: 'messages', mailboxId: 'm', query: '', rows, complete: true }, { is: 'row-details', found });
    return this.loaded();
  }

  withOpenMail(): this {
    return this.withMail().press('open').loaded();
  }

  /** Loads the content of the first message. */
  loaded(): this {
    const [first] = rows;
    return first === undefined ? this : this.give({ is: 'mail', mail: mailOf(first) });
  }

  withRequests(): this {
    const url = 'http://127.0.0.1:8025/hooks/k';
    const webhook = { id: 'w', name: 'Payments', url, requestCount: 1, forwardUrl: 'http://x.test' };
    this.press('tab')
      .give({ is: 'webhooks', webhooks: [webhook] })
      .press('open');
    return this.give({ is: 'requests', webhookId: 'w', rows: [request], complete: true });
  }

  reading() {
    const { open } = this.inbox.mail;
    const key = [
      isReading(this.inbox),
      open?.mail,
      open?.view,
      open?.source,
      open?.failure,
      this.inbox.webhooks.open?.request,
    ];
    if (key.some((part, at) => part !== this.#key[at])) {
      this.#key = key;
      this.#lines = openTextLines(this.inbox, this.layout, STYLE, NOW);
    }
    const lines = this.#lines;
    return { lines, matches: findInLines(lines, readScroll(this.inbox)?.find?.text ?? '') };
  }

  frame(): string[] {
    const options = { layout: this.layout, style: STYLE, now: NOW, reading: this.reading(), directory: '~/project' };
    return frameOf(this.inbox, options);
  }
}

/** Each view: its name, the inputs that open it, and the facts that it must show at any size. */
const VIEWS: readonly (readonly [name: string, reach: (stage: Stage) => Stage, facts: readonly RegExp[]])[] = [
  ['nothing loaded', (stage) => stage, [/loading/, /q quit/]],
  [
    'an empty mailbox',
    (stage) => stage.give({ is: 'messages', mailboxId: 'm', query: '', rows: [], complete: true }),
    [/No mail yet/, /\*@inbox/],
  ],
  ['the list', (stage) => stage.withMail(), [/•❯ App 0/, /user0|user…/, /#/, /enter open/, /\? help/, /q quit/]],
  ['the list further down', (stage) => stage.withMail().press('last'), [/❯ App 79/]],
  [
    'new mail above',
    (stage) =>
      stage
        .withMail()
        .press('next')
        .give({ is: 'messages-arrived', mailboxId: 'm', rows: [{ ...(rows[0] as MailRow), id: '002000' }] }),
    [/1 new/, /g shows/],
  ],
  ['a message', (stage) => stage.withOpenMail(), [/Your sign-in code/, /esc back/, /b text\/HTML/, /q quit/]],
  ['a message at its end', (stage) => stage.withOpenMail().press('last'), [/is here\./]],
  ['its HTML', (stage) => stage.withOpenMail().press('other-body', 'last'), [/https:\/\/x\.test\/verify/]],
  ['its headers', (stage) => stage.withOpenMail().press('headers', 'last'), [/vvv/]],
  [
    'its source',
    (stage) =>
      stage
        .withOpenMail()
        .press('source')
        .give({ is: 'source', id: '001000', source: 'From: x\r\n\r\nsource end' })
        .press('last'),
    [/source end/],
  ],
  [
    'what is found in it',
    (stage) => stage.withOpenMail().press('find').give({ is: 'typed', text: 'needle is' }),
    [/needle/, /1 of 1 match/],
  ],
  [
    'a message that is gone',
    (stage) =>
      stage
        .withMail()
        .press('next', 'open')
        .give({ is: 'mail-failed', id: '000999', reason: 'It is gone.' })
        .press('last'),
    [/It is gone/],
  ],
  [
    'links',
    (stage) => stage.withOpenMail().press('links'),
    [/Links/, /❯ +\[1\] +verify/, /x\.test\/verify\?t=1/, /enter open/],
  ],
  [
    'further links',
    (stage) => stage.withOpenMail().press('links', 'last'),
    [/❯ +\[2\] +other +long/, /x\.test\/…a+END/, /tracked by|\(tr…/],
  ],
  [
    'attachments',
    (stage) => stage.withOpenMail().press('attachments'),
    [/Attachments/, /report\.pdf|report|repo/, /~\/project/, /enter save/],
  ],
  ['mailboxes', (stage) => stage.withMail().press('mailboxes'), [/Mailboxes/, /❯ • Inbox/]],
  [
    'a filter',
    (stage) =>
      stage
        .withMail()
        .press('filter')
        .give(
          { is: 'typed', text: 'nothing' },
          { is: 'messages', mailboxId: 'm', query: 'nothing', rows: [], complete: true },
        ),
    [/\/ nothing/, /No message contains/],
  ],
  ['a deletion', (stage) => stage.withMail().press('delete'), [/deleted\.\s+Press\s+z/]],
  [
    'a long notice',
    (stage) =>
      stage
        .withMail()
        .give({ is: 'notice', notice: { text: `Could not copy the code: ${'x'.repeat(300)}end`, tone: 'bad' } }),
    [/Could not copy/, /end|…/],
  ],
  ['help', (stage) => stage.withMail().press('help'), [/Everywhere/, /down/, /esc back/]],
  ['help at its end', (stage) => stage.withMail().press('help', 'last'), [/attachments|previous match/]],
  ['webhooks, loading', (stage) => stage.press('tab'), [/loading/]],
  ['no webhooks', (stage) => stage.press('tab').give({ is: 'webhooks', webhooks: [] }), [/No webhooks yet/]],
  ['captured requests', (stage) => stage.withRequests(), [/❯ POST/, /202/]],
  [
    'a captured request',
    (stage) =>
      stage
        .withRequests()
        .press('open')
        .give({
          is: 'request',
          request: {
            ...request,
            sourceIp: '::1',
            headers: [['host', 'x'.repeat(300)]],
            bodyText: '{"total":1}',
            forwardAttempts: 1,
            forwardError: 'refused',
            forwardResponse: null,
            curl: '',
          },
        })
        .press('last'),
    [/"total": 1/],
  ],
  [
    'no authenticators',
    (stage) => stage.press('tab', 'tab').give({ is: 'authenticators', authenticators: [] }),
    [/No authenticators/],
  ],
  [
    'authenticators',
    (stage) =>
      stage.press('tab', 'tab').give({
        is: 'authenticators',
        authenticators: [
          { id: 'a', name: `bank ${'名'.repeat(40)}END`, code: '123456', expiresAt: NOW + 9_000, periodSeconds: 30 },
        ],
      }),
    [/❯ bank/, /名 END|名END/, /123 456/, /9 s/, /enter copy/],
  ],
  ['a lost server', (stage) => stage.withMail().give({ is: 'disconnected', reason: 'the server is gone' }), [/✕/]],
];

test.each(VIEWS)(
  '%s: at each width from 40 to 200 no line is lost or too wide, and the important texts are shown',
  (_name, reach, facts) => {
    const faults = HEIGHTS.flatMap((height) =>
      WIDTHS.flatMap((width) =>
        faultsOf(reach(new Stage(width, height)).frame(), width, height, facts).map(
          (fault) => `${width}x${height}: ${fault}`,
        ),
      ),
    );
    expect(faults).toEqual([]);
  },
);

function faultsOf(frame: readonly string[], width: number, height: number, facts: readonly RegExp[]): string[] {
  const shown = frame.map(unstyled).join('\n');
  const wide = frame.map(unstyled).filter((line) => columnsOf(line) > width);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
  const drives = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(shown);
  return [
    ...(frame.length === height ? [] : [`${frame.length} lines`]),
    ...wide.map((line) => `too wide: ${line}`),
    ...(drives ? ['a control character'] : []),
    ...facts.filter((fact) => !fact.test(shown)).map((fact) => `no ${fact} in\n${shown}`),
  ];
}

/** Returns the width of a line by string-width. It counts symbols that are known to take one column directly. */
function columnsOf(line: string): number {
  const plain = line.replace(/[│•❯…─●○✕“”←→↑↓]/g, '.');
  return /^[ -~]*$/.test(plain) ? plain.length : stringWidth(line);
}

test('the signs of the inbox have one column each', () => {
  for (const sign of '│•❯…─●○✕“”←→↑↓–—‘’éÅ·') expect(stringWidth(sign), sign).toBe(widthOf(sign));
  expect(widthOf('│•❯…─●○✕“”←→↑↓')).toBe(14);
});

test('the row of a text message shows its words and its code', () => {
  const [first] = rows;
  if (first === undefined) throw new Error('there are no rows');
  const text = { ...first, kind: 'sms' as const, from: '+15005550006', subject: '' };
  const stage = new Stage(100, 24).give({ is: 'messages', mailboxId: 'm', query: '', rows: [text], complete: true });
  const row = () =>
    stage
      .frame()
      .map(unstyled)
      .find((line) => line.includes('❯'));
  expect(row()).toContain('Text message');
  stage.give({ is: 'row-details', found: [[text.id, { codes: ['481516'], snippet: 'Your code is 481516' }]] });
  expect(row()).toContain('Your code is 481516');
  expect(row()).toContain('#481516');
});

test('beside a message, a list shows a code and thirty characters of the subject from 120 columns on', () => {
  const subject = 'Confirm the address of your account at the shop';
  const old = rows.map((row) => ({ ...row, subject, receivedAt: NOW - 90 * 86_400_000 }));
  const found = old.map(({ id }) => [id, { codes: ['48151623'], snippet: '' }] as const);
  for (let width = 120; width <= 200; width += 1) {
    const stage = new Stage(width, 24).give(
      { is: 'messages', mailboxId: 'm', query: '', rows: old, complete: true },
      { is: 'row-details', found },
    );
    const line =
      stage
        .frame()
        .map(unstyled)
        .find((one) => one.includes('App 1 ')) ?? '';
    expect(line, String(width)).toContain('#48151623');
    expect(line, String(width)).toContain(subject.slice(0, 29));
  }
});

test('q closes the help, and leaves the inbox from there', () => {
  expect([commandOf('q', 'help'), commandOf('q', 'messages')]).toEqual(['back', 'quit']);
  const stage = new Stage(80, 24).withMail().press('help');
  expect(isReading(stage.inbox)).toBe('help');
  expect(isReading(stage.press('back').inbox)).toBeNull();
});

test('help has as many columns as make it short, and they end at much the same line', () => {
  const linesAt = (width: number) => {
    const stage = new Stage(width, 24).press('help');
    return openTextLines(stage.inbox, stage.layout, STYLE, NOW).length;
  };
  const heights = Array.from({ length: 161 }, (_, at) => linesAt(40 + at));
  for (const [at, height] of heights.slice(1).entries())
    expect(height, `${41 + at}`).toBeLessThanOrEqual(heights[at] ?? 0);
  expect([linesAt(80), linesAt(120), linesAt(200)].map((height) => Math.ceil(height / 5) * 5)).toEqual([70, 45, 30]);
});

test('help lists every key with what it does, at each width', () => {
  for (const width of WIDTHS) {
    const stage = new Stage(width, 24).press('help');
    const said = openTextLines(stage.inbox, stage.layout, STYLE, NOW).map(unstyled).join(' ').replace(/\s+/g, ' ');
    const missing = TERMINAL_KEYS.filter(({ keys, help, in: all }) => {
      const words = [...keys.map(keyName), ...`${help}${whereOf(all)}`.split(' ')];
      return words.some((word) => !said.includes(word));
    });
    expect(
      missing.map(({ help }) => help),
      String(width),
    ).toEqual([]);
    expect(stage.frame().map(unstyled).join('\n'), String(width)).toMatch(/ \d+ more lines ↓/);
  }
});

test('each row of the help says what a key does and where, and a key with two rows does different things', () => {
  expect(TERMINAL_KEYS.filter(({ help }) => help.includes(';'))).toEqual([]);
  const places = TERMINAL_KEYS.flatMap(({ keys, in: all }) =>
    keys.flatMap((key) => all.map((place) => `${key} in ${place}`)),
  );
  expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
  const told = TERMINAL_KEYS.flatMap(({ keys, help, in: all }) => keys.map((key) => `${key}: ${help}${whereOf(all)}`));
  expect(told.filter((one, at) => told.indexOf(one) !== at)).toEqual([]);
  const stage = new Stage(89, 24).press('help');
  const said = openTextLines(stage.inbox, stage.layout, STYLE, NOW).map(unstyled).join(' ').replace(/\s+/g, ' ');
  for (const { help, in: all } of TERMINAL_KEYS) expect(said).toContain(`${help}${whereOf(all)}`);
  for (const row of [
    '/ filter the list by a text (list)',
    '/ search in this text (message, request)',
    'tab next view: text, HTML, headers, source (message)',
    'tab next tab: mail, webhooks, authenticators (list, webhooks, requests, request, authenticators)',
    'c copy the code (list, message, authenticators)',
    'c copy the request as a curl command (requests, request)',
    'j ↓ down ',
  ])
    expect(said).toContain(row);
});

test('before its connection an inbox says that it loads, and shows no content', () => {
  const { inbox } = new Stage(100, 24);
  const stage = new Stage(100, 24);
  stage.inbox = { ...inbox, connection: { state: 'connecting' }, mail: { ...inbox.mail, mailboxId: 'none' } };
  const frame = stage.frame().map(unstyled).join('\n');
  expect(frame).toContain('loading');
  expect(frame).not.toContain('There is no mailbox');
});

test('all lines of a text can be read by scrolling, at each width', () => {
  for (const width of WIDTHS) {
    const stage = new Stage(width, 24).withOpenMail();
    const all = stage.reading().lines.map((line) => unstyled(line).trim());
    const seen = new Set<string>();
    for (let page = 0; page < all.length; page++) {
      for (const line of stage.frame().map(unstyled)) seen.add((line.split('│').at(-1) ?? '').trim());
      stage.press('page-down');
    }
    const missing = all.filter((line) => !seen.has(line));
    expect(missing, String(width)).toEqual([]);
  }
});

test('tab goes from view to view of an open message and never leaves it', () => {
  const stage = new Stage(80, 24).withOpenMail();
  const views = Array.from({ length: 5 }, () => {
    const view = stage.inbox.mail.open?.view;
    const command = commandOf('tab', 'message');
    if (command !== null) stage.press(command);
    return view;
  });
  expect(views).toEqual(['text', 'html', 'headers', 'source', 'text']);
  expect(stage.inbox.tab).toBe('mail');
});
