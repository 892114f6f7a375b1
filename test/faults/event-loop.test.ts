import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Ready } from '../../src/runtime.ts';
import { Wire } from '../smtp/wire.ts';
import { byDay } from '../support/night.ts';
import { NOT_LINUX } from '../support/platform.ts';
import { unless } from '../support/unless.ts';

// The limit is processor time of the main thread between two turns of the event loop, so that a busy machine causes no
// failure. Without other load, each case takes less than 50 ms. Before there were limits, each blocked the loop for
// half a second to four seconds.
const MOST_MS = 250;

const BIN = fileURLToPath(new URL('../../bin/mailcap.js', import.meta.url));
const PROBE = new URL('../../bench/hostile/probe.js', import.meta.url).href;
const HEAD = 'From: a@x.test\r\nTo: b@x.test\r\nSubject: hostile\r\n';
const HTML = `${HEAD}Content-Type: text/html\r\n\r\n`;

async function start() {
  const flags = [
    '--json',
    '--port',
    '0',
    '--smtp-port',
    '0',
    '--limits',
    'off',
    '--ephemeral',
    '--log-level',
    'silent',
  ];
  const child = spawn(process.execPath, ['--import', PROBE, BIN, 'dev', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (child.stdout === null) throw new Error('no standard output');
  const [line] = await once(createInterface(child.stdout), 'line');
  const ready = JSON.parse(String(line)) as Ready; // docs/options.md#the-ready-line
  const heldMs = async () => {
    child.send({ reset: true });
    const [{ heldMs }] = await once(child, 'message');
    return heldMs as number; // the probe answers with this type
  };
  const get = async (path: string) => {
    const response = await fetch(ready.url + path, { headers: { authorization: `Bearer ${ready.apiKey}` } });
    expect(response.status).toBe(200);
    return response.json();
  };
  return { child, ready, heldMs, get };
}

const MAILS: readonly (readonly [string, () => string])[] = [
  ['codes, 5 MB', () => `${HEAD}\r\n${'your code is 123456. '.repeat(250_000)}`],
  ['a line of text, 20 MB', () => `${HEAD}\r\n${'验证码 x'.repeat(2_000_000)}`],
  [
    'a million links as text',
    () => `${HEAD}\r\n${Array.from({ length: 1_000_000 }, (_, i) => `http://x.y/${i}\r\n`).join('')}`,
  ],
  ['less-than signs, 15 MB', () => HTML + '<'.repeat(15_000_000)],
  ['empty tags, 15 MB', () => HTML + '<>'.repeat(7_500_000)],
  [
    'words of no known charset',
    () => `Subject: ${Array.from({ length: 15_000 }, (_, i) => `=?x-${i}?q?=ff?= `).join('')}\r\n\r\n`,
  ],
  ['a word in utf-7', () => `Subject: =?utf-7?q?${'+AGE-'.repeat(50_000)}?=\r\n\r\n`],
  [
    '9,000 parts',
    () => `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nA: b\r\n\r\nx\r\n'.repeat(9_000)}`,
  ],
  [
    'style sheets in style sheets',
    () => `${HTML}<style>${'a{'.repeat(200_000)}${'.b{display:flex}'.repeat(20_000)}</style>`,
  ],
  ['elements in elements', () => HTML + '<div class="a b" style="color:#777;display:flex">x'.repeat(40_000)],
  ['placeholders', () => HTML + '{{undefined %a% ${x'.repeat(100_000)],
  ['parameters', () => `Content-Type: a/b${Array.from({ length: 20_000 }, (_, i) => `; a${i}*0=b`).join('')}\r\n\r\n`],
];
/** By day a mail for each of the readers: text, links, HTML, headers, parts and style sheets. */
const BY_DAY = ['codes, 5 MB', 'a million links as text', 'empty tags, 15 MB', 'a word in utf-7', '9,000 parts'];
const isByDay = ([what]: (typeof MAILS)[number]) => BY_DAY.includes(what) || what === 'style sheets in style sheets';

unless(test, NOT_LINUX).each(byDay(MAILS, isByDay))(
  'a mail of %s blocks the event loop no longer than any other',
  async (_what, make) => {
    const { child, ready, heldMs, get } = await start();
    try {
      const mail = make();
      await heldMs();
      const wire = await Wire.hello(ready.smtpPort);
      expect(await wire.mail('b@x.test', mail)).toMatch(/^250 /);
      wire.close();
      const held = { in: await heldMs(), list: 0, get: 0, codes: 0, checks: 0, search: 0 };
      const inbox = `/v1/mailboxes/${ready.mailboxId}/messages`;
      const [{ id }] = (await get(inbox)) as [{ id: string }]; // docs/api.md#messages
      held.list = await heldMs();
      await get(`${inbox}/${id}`);
      held.get = await heldMs();
      await get(`/_mailcap/messages/${id}`);
      held.codes = await heldMs();
      await get(`/_mailcap/messages/${id}/checks`);
      held.checks = await heldMs();
      await get(`/_mailcap/mailboxes/${ready.mailboxId}/messages?query=not-there`);
      held.search = await heldMs();
      for (const [phase, ms] of Object.entries(held)) expect(ms, phase).toBeLessThan(MOST_MS);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  },
);
