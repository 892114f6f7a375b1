import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';

// This program creates ui/terminal/screen.svg: the terminal inbox in tmux, with mail on a server of its own. It needs
// tmux and a build.

const COLUMNS = 110;
const ROWS = 24;
const BIN = fileURLToPath(new URL('../bin/mailcap.js', import.meta.url));
const OUT = fileURLToPath(new URL('../ui/terminal/screen.svg', import.meta.url));

const MAILS = [
  ['Northwind <hello@northwind.example>', 'Welcome, Ada', 'Hello Ada,\n\nwelcome.'],
  ['Build <ci@build.example>', 'main is green again: 1,204 tests in 3 min 12 s', 'All of them.'],
  ['山田 太郎 <taro@example.jp>', 'ご注文の確認：12345', 'ありがとうございます。'],
  ['Grace Hopper <grace@example.com>', 'Re: the bug in the log book 🐞', 'It was a moth.'],
  [
    'Northwind Billing <billing@northwind.example>',
    'Your invoice 2026-118',
    'Please find it attached.',
    'invoice-2026-118.pdf',
  ],
  ['Northwind <hello@northwind.example>', 'Reset your password', 'https://app.northwind.example/reset?token=Zm9vYmFy'],
  [
    'Northwind <hello@northwind.example>',
    'Your sign-in code is 481 516',
    'Hello Ada,\n\nyour sign-in code is 481516. It is good for ten minutes.\n\nOr follow this link:\nhttps://app.northwind.example/verify?token=q7Xw2p\n\nIf it was not you, somebody else knows your password:\nchange it.',
  ],
];

const directory = mkdtempSync(join(tmpdir(), 'mailcap-screen-'));
// tmux runs without the user's settings, so that the picture is always the same.
const tmux = (...args) =>
  execFileSync('tmux', ['-L', `mailcap-${process.pid}`, '-f', '/dev/null', ...args], { encoding: 'utf8' });
const server = spawn(process.execPath, [BIN, 'dev', '--json', '--ephemeral', '--port', '0', '--smtp-port', '0'], {
  cwd: directory,
  stdio: ['ignore', 'pipe', 'inherit'],
});

try {
  const line = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
  const { smtpHost: host, smtpPort: port } = JSON.parse(line);
  const transport = createTransport({ host, port, ignoreTLS: true });
  for (const [from, subject, text, filename] of MAILS) {
    const attachments = filename === undefined ? [] : [{ filename, content: Buffer.alloc(48_213) }];
    await transport.sendMail({ from, to: 'ada@inbox.mailcap.example.com', subject, text, attachments });
  }
  tmux(
    'new-session',
    '-d',
    '-x',
    String(COLUMNS),
    '-y',
    String(ROWS),
    '-c',
    directory,
    `${process.execPath} ${BIN} inbox`,
  );
  tmux('set', 'status', 'off');
  await shows('● live');
  await shows('sign-in code');
  tmux('send-keys', 'Enter');
  await shows('Or follow this link');
  writeFileSync(OUT, svgOf(tmux('capture-pane', '-p', '-e')));
} finally {
  try {
    tmux('kill-server');
  } catch {
    // The tmux server has not started.
  }
  server.kill('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
}

async function shows(text) {
  for (let tries = 0; tries < 200; tries++) {
    if (tmux('capture-pane', '-p').includes(text)) return;
    await delay(100);
  }
  throw new Error(`the screen never showed ${text}, but\n${tmux('capture-pane', '-p')}`);
}

function svgOf(screen) {
  const [wide, high, margin] = [8.4, 19, 18];
  const width = COLUMNS * wide + 2 * margin;
  const height = ROWS * high + 2 * margin;
  const rows = screen.split('\n').slice(0, ROWS);
  const texts = rows.flatMap((row, y) =>
    runsOf(row).flatMap(({ x, columns, text, fill, bold, ground }) => {
      const at = { x: margin + x * wide, y: margin + y * high };
      const back = ground
        ? [
            `<rect x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}" width="${(columns * wide).toFixed(1)}" height="${high}" fill="${ground}"/>`,
          ]
        : [];
      if (text.trim() === '') return back;
      const style = `fill="${fill}"${bold ? ' font-weight="700"' : ''}`;
      // The length of the text is set, so that columns stay aligned in any font.
      const length = (columns * wide).toFixed(1);
      return [
        ...back,
        `<text x="${at.x.toFixed(1)}" y="${(at.y + 14).toFixed(1)}" ${style} textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(text)}</text>`,
      ];
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<title>mailcap inbox: the list of messages, and one of them beside it</title>
<rect width="100%" height="100%" rx="10" fill="#14171c"/>
${texts.join('\n')}
</svg>
`;
}

function runsOf(row) {
  const runs = [];
  let look = { bold: false, colour: null, inverse: false };
  let x = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that colour
  for (const piece of row.split(/(\u001b\[[0-9;]*m)/)) {
    if (piece.startsWith('\u001b[')) {
      const codes = piece.slice(2, -1);
      look = codes.split(';').map(Number).reduce(after, look);
      continue;
    }
    // Wide characters are drawn one by one, because their width differs from the others'.
    for (const text of piece.split(/((?:[\u1100-\u115f\u2e80-\uffdc]|\p{Extended_Pictographic})\ufe0f?)/u)) {
      if (text === '') continue;
      const isWide = /^(?:[\u1100-\u115f\u2e80-\uffdc]|\p{Extended_Pictographic})/u.test(text);
      const columns = isWide ? 2 : [...text].length;
      const colour = { 31: '#ff7b72', 36: '#56d4dd', 90: '#7d8590' }[look.colour] ?? '#e6edf3';
      runs.push({
        x,
        columns,
        text,
        bold: look.bold,
        fill: look.inverse ? '#14171c' : colour,
        ground: look.inverse ? colour : null,
      });
      x += columns;
    }
  }
  return runs;
}

function after(look, code) {
  if (code === 0) return { bold: false, colour: null, inverse: false };
  if (code === 1) return { ...look, bold: true };
  if (code === 22) return { ...look, bold: false };
  if (code === 7 || code === 27) return { ...look, inverse: code === 7 };
  if (code === 39) return { ...look, colour: null };
  return [31, 36, 90].includes(code) ? { ...look, colour: code } : look;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
