import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sendMail } from '../load.js';
import { processorSeconds, residentMegabytes } from '../process-usage.js';
import { end, removeDirectory, start, temporaryDirectory } from '../processes.js';
import { row, told } from '../results.js';
import { startMailcap } from '../servers.js';
import { median, number, spread } from '../statistics.js';

const bin = fileURLToPath(new URL('../../bin/mailcap.js', import.meta.url));
/** The beginning of every frame that changes something (synchronised output). */
const FRAME = '\u001b[?2026h';
const MAILS_A_MINUTE = 1_000;

export const inbox = {
  name: 'inbox',
  title: '`mailcap inbox`',
  tools: ['smtp-source', 'script', '/proc'],
  peers: false,
  async run({ runs, quick, say }) {
    const stored = quick ? 20_000 : 100_000;
    const directory = temporaryDirectory();
    const server = await startMailcap({ directory });
    try {
      await sendMail({ port: server.smtpPort, sessions: 1, messages: 20, bytes: 1024, reuse: true });
      const paints = await firstPaints(server, runs);
      say('painted');
      const few = await underLoad(server, quick);
      await sendMail({ port: server.smtpPort, sessions: 50, messages: stored, bytes: 1024, reuse: true });
      say(`filled with ${number(stored)} messages`);
      const many = await underLoad(server, quick, stored);
      return { rows: rowsOf({ paints, few, many, stored: number(stored) }), notes: notesOf(quick) };
    } finally {
      await server.stop();
      removeDirectory(directory);
    }
  },
};

function rowsOf({ paints, few, many, stored }) {
  return [
    told({
      figure: '`mailcap inbox` from process start to the first list on the screen',
      value: median(paints),
      unit: ' ms',
      digits: 0,
      absolute: `${spread(paints)} ms`,
    }),
    row({
      figure: `\`mailcap inbox\`, a frame while 1,000 mails a minute come: ${stored} messages loaded against 20`,
      value: many.frameMs / few.frameMs,
      unit: 'x',
      atMost: 2,
      absolute: `${number(many.frameMs, 1)} ms of processor time a frame, ${number(few.frameMs, 1)} ms with 20; ${number(many.perSecond, 1)} frames/s`,
    }),
    told({
      figure: `\`mailcap inbox\` with ${stored} messages loaded, resident`,
      value: many.resident,
      unit: ' MB',
      digits: 0,
      absolute: `${number(few.resident)} MB with 20`,
    }),
  ];
}

function notesOf(quick) {
  return [
    `Inbox: on a pseudo-terminal of 120 columns and 40 rows; a frame's cost is the processor time of the process, all told, over the frames it wrote in ${quick ? 15 : 60} s at 1,000 mails a minute.`,
  ];
}

async function firstPaints(server, runs) {
  const all = [];
  // The first run fills the system's file cache and is not counted.
  for (let run = -1; run < runs * 2; run++) {
    const terminal = open(server);
    await terminal.shows('❯');
    if (run >= 0) all.push(performance.now() - terminal.startedAt);
    await terminal.close();
  }
  return all;
}

/**
 * Measures the inbox under load. With `stored`, the reader first goes to the oldest message, which loads all, and back.
 */
async function underLoad(server, quick, stored = 0) {
  const terminal = open(server);
  try {
    await terminal.shows('● live');
    if (stored > 0) {
      terminal.press('G');
      await terminal.shows(
        ` of ${number(stored)}`,
        120_000,
        ({ text }) => Number((text.match(/ of ([\d,]+)/g) ?? []).at(-1)?.replace(/\D/g, '')) >= stored,
      );
      terminal.press('g');
    }
    await delay(2_000);
    const seconds = quick ? 15 : 60;
    const pid = terminal.pid();
    const before = { processor: processorSeconds(pid), frames: terminal.frames() };
    const until = performance.now() + seconds * 1_000;
    const gap = 60_000 / MAILS_A_MINUTE;
    for (let at = performance.now(); at < until; at += gap) {
      await sendMail({ port: server.smtpPort, sessions: 1, messages: 1, bytes: 1024, reuse: true });
      await delay(Math.max(0, at + gap - performance.now()));
    }
    const frames = terminal.frames() - before.frames;
    const frameMs = ((processorSeconds(pid) - before.processor) * 1_000) / frames;
    return { frameMs, perSecond: frames / seconds, resident: residentMegabytes(pid) };
  } finally {
    await terminal.close();
  }
}

function open(server) {
  const directory = temporaryDirectory();
  const inside = `stty cols 120 rows 40; echo $$ > '${directory}/pid'; exec '${process.execPath}' '${bin}' inbox`;
  const env = {
    ...process.env,
    MAILCAP_URL: server.url,
    MAILCAP_API_KEY: server.apiKey,
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
  };
  const startedAt = performance.now();
  const child = start('script', ['-qefc', inside, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: directory,
    env,
  });
  const shown = { text: '', frames: 0 };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown.frames += text.split(FRAME).length - 1;
    shown.text = (shown.text + text).slice(-50_000);
  });
  return {
    startedAt,
    frames: () => shown.frames,
    pid: () => Number(readFileSync(join(directory, 'pid'), 'utf8')),
    press: (key) => child.stdin.write(key),
    async shows(what, patienceMs = 20_000, holds = ({ text }) => text.includes(what)) {
      const deadline = performance.now() + patienceMs;
      while (!holds(shown)) {
        if (performance.now() > deadline)
          throw new Error(`the inbox never showed ${what}: ${child.printed.slice(-500)}`);
        await delay(5);
      }
    },
    async close() {
      child.stdin.write('q');
      await Promise.race([child.ended, delay(5_000)]);
      await end(child);
      removeDirectory(directory);
    },
  };
}
