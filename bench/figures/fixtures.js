import { fileURLToPath } from 'node:url';
import { removeDirectory, start, temporaryDirectory } from '../processes.js';
import { row, told } from '../results.js';
import { startMailcap } from '../servers.js';
import { number, percentile } from '../statistics.js';

const config = fileURLToPath(new URL('../fixtures/playwright.config.js', import.meta.url));
const cli = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
const WORKERS = 8;

export const fixtures = {
  name: 'fixtures',
  title: 'The `mailbox` fixture of Playwright',
  tools: [],
  peers: false,
  async run({ quick, say }) {
    const attempts = quick ? 200 : 2_000;
    const crowded = await runAttempts(attempts, { workers: WORKERS, burn: true });
    say(`${attempts} attempts on ${WORKERS} workers`);
    const alone = addedBy(await runAttempts(attempts / 4, { workers: 1, burn: false }));
    say(`${attempts / 4} attempts on one worker`);
    const failures = crowded.filter(({ failed }) => failed);
    for (const { title, error } of failures.slice(0, 5)) say(`${title}: ${error}`);
    const among = addedBy(crowded);
    const tell = (ms) => `p50 ${number(percentile(ms, 50), 1)} ms, p99 ${number(percentile(ms, 99), 1)} ms`;
    const inMs = { unit: ' ms', digits: 1, absolute: tell(alone) };
    return {
      rows: [
        row({ figure: 'Added to a test by `mailbox`, p50', value: percentile(alone, 50), atMost: 3, ...inMs }),
        row({ figure: 'Added to a test by `mailbox`, p99', value: percentile(alone, 99), atMost: 15, ...inMs }),
        told({
          figure: `The same on ${WORKERS} workers beside a process that burns a core, p50`,
          value: percentile(among, 50),
          unit: ' ms',
          digits: 1,
          absolute: tell(among),
        }),
        row({
          figure: `Flakes of ${number(attempts)} test attempts that wait for a code`,
          value: failures.length,
          digits: 0,
          atMost: 0,
          absolute: `${WORKERS} workers beside a process that burns a core`,
        }),
      ],
      notes: [
        "Fixture: Playwright's own times of what stands before and after a test's body, in whole milliseconds, less the median of tests without a fixture in the same run. The first test of each worker, which makes the worker's workspace, is not counted.",
      ],
    };
  },
};

function addedBy(results) {
  const of = (kind) => results.filter(({ title }) => title.startsWith(kind));
  const hooks = of('plain').map(({ hooksMs }) => hooksMs);
  const plain = percentile(hooks, 50);
  return withoutFirsts(of('mailbox')).map(({ hooksMs }) => Math.max(0, hooksMs - plain));
}

async function runAttempts(attempts, { workers, burn }) {
  const server = await startMailcap({ args: ['--ephemeral'] });
  const burner = burn ? start(process.execPath, ['-e', 'for (;;);']) : null;
  const output = temporaryDirectory();
  try {
    const env = {
      ...process.env,
      MAILCAP_URL: server.url,
      MAILCAP_API_KEY: server.apiKey,
      MAILCAP_SMTP_URL: server.smtpUrl,
      BENCH_ATTEMPTS: String(attempts),
      BENCH_OUTPUT: output,
    };
    const child = start(process.execPath, [cli, 'test', '--config', config, '--workers', String(workers)], { env });
    let stdout = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    await child.ended;
    const results = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    if (results.length !== attempts * 2) throw new Error(`${results.length} tests ran: ${child.printed.slice(0, 500)}`);
    return results;
  } finally {
    burner?.kill('SIGKILL');
    await server.stop();
    removeDirectory(output);
  }
}

/** Removes the first result of each worker. */
function withoutFirsts(results) {
  const seen = new Set();
  return results.filter(({ worker }) => seen.has(worker) || !seen.add(worker));
}
