import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { removeDirectory, start, temporaryDirectory } from '../processes.js';
import { describeMachine } from '../results.js';
import { findMailpit, installPeers, startMailcap, startMailDev, startMailpit } from '../servers.js';
import { page } from './page.js';

// This program counts flakes. It runs the same suite with mailcap and with the servers that it is compared with. They
// take turns in batches. A batch is a run of Playwright with its own server, like a job of CI.

const USAGE = `node bench/flakes/run.js [--attempts <n>] [--peer-attempts <n>] [--only mailcap,maildev,mailpit] ...

  --attempts       attempts with mailcap, 1,000 otherwise
  --peer-attempts  attempts with each other server; as many as with mailcap otherwise
  --only           only these servers; Mailpit takes part where MAILPIT or PATH has its program
  --batch          attempts of one run of Playwright, 1,000 otherwise
  --workers        8 otherwise
  --burners        processes that burn a core beside them, 1 otherwise
  --poll           the interval of the other servers' suites, in milliseconds, 500 otherwise
  --continue <file>  keeps the figures in this file (JSON) after each batch, and goes on from those that are there
  --out <file>     writes the page with the figures
  --note <text>    says on the page what else is to be known of the measurement

It ends with 1 if an attempt with mailcap failed.`;

const { values: options } = parseArgs({
  options: {
    attempts: { type: 'string', default: '1000' },
    'peer-attempts': { type: 'string' },
    only: { type: 'string', default: 'mailcap,maildev,mailpit' },
    batch: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '8' },
    burners: { type: 'string', default: '1' },
    poll: { type: 'string', default: '500' },
    continue: { type: 'string' },
    out: { type: 'string' },
    note: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const SERVERS = {
  mailcap: async () => {
    const server = await startMailcap({ args: ['--ephemeral'] });
    const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey, MAILCAP_SMTP_URL: server.smtpUrl };
    return { ...server, env };
  },
  maildev: async () => {
    const server = await startMailDev();
    return { ...server, env: { FLAKES_HTTP: server.httpUrl } };
  },
  mailpit: async () => {
    const server = await startMailpit();
    return { ...server, env: { FLAKES_HTTP: server.httpUrl } };
  },
};

const numbers = Object.fromEntries(
  ['attempts', 'batch', 'workers', 'burners', 'poll'].map((name) => [name, Number(options[name])]),
);
const peerAttempts = Number(options['peer-attempts'] ?? numbers.attempts);
const only = options.only.split(',');
const isValid = [...Object.values(numbers), peerAttempts].every((n) => Number.isInteger(n) && n >= 0);
if (options.help || !isValid || numbers.batch === 0 || only.some((name) => !Object.hasOwn(SERVERS, name))) {
  console.error(USAGE);
  process.exit(options.help ? 0 : 2);
}

const cli = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
const config = fileURLToPath(new URL('playwright.config.js', import.meta.url));
const before =
  options.continue !== undefined && existsSync(options.continue)
    ? JSON.parse(readFileSync(options.continue, 'utf8'))
    : { batches: [] };
const batches = before.batches;

const takesPart = await Promise.all(only.map(async (name) => ((await missing(name)) === null ? [name] : [])));
const names = takesPart.flat();
const left = Object.fromEntries(
  names.map((name) => [name, (name === 'mailcap' ? numbers.attempts : peerAttempts) - madeWith(name)]),
);
while (names.some((name) => left[name] > 0)) {
  for (const name of names) {
    const count = Math.min(numbers.batch, left[name]);
    if (count <= 0) continue;
    left[name] -= count;
    const batch = await run(name, count);
    batches.push(batch);
    if (options.continue !== undefined) writeFileSync(options.continue, JSON.stringify({ batches }));
    console.error(`${name}: ${count} attempts in ${(batch.seconds).toFixed(0)} s, ${batch.failures.length} failed`);
    for (const { title, error } of batch.failures.slice(0, 3)) console.error(`  ${title}: ${error}`);
  }
}

if (batches.length === 0) process.exit(1);
const text = page({ batches, machine: describeMachine(null), options: numbers, note: options.note });
console.log(text);
if (options.out !== undefined) writeFileSync(options.out, text);
process.exit(batches.some(({ name, failures }) => name === 'mailcap' && failures.length > 0) ? 1 : 0);

async function missing(name) {
  const reason =
    name === 'maildev' ? await installPeers() : name === 'mailpit' && findMailpit() === null ? 'needs mailpit' : null;
  if (reason !== null) console.error(`${name} does not take part: ${reason}`);
  return reason;
}

/** Returns the number of attempts that were made with a server so far. */
function madeWith(name) {
  return batches.filter((batch) => batch.name === name).reduce((sum, { ms }) => sum + ms.length, 0);
}

/** Runs attempts with a server that nobody used before, beside processes that burn a core. */
async function run(name, count) {
  const from = madeWith(name);
  const server = await SERVERS[name]();
  const burners = Array.from({ length: numbers.burners }, () => start(process.execPath, ['-e', 'for (;;);']));
  const output = temporaryDirectory();
  try {
    const env = {
      ...process.env,
      ...server.env,
      FLAKES_SUITE: name,
      FLAKES_FROM: String(from),
      FLAKES_TO: String(from + count),
      FLAKES_SMTP: String(server.smtpPort),
      FLAKES_POLL_MS: String(numbers.poll),
      FLAKES_OUTPUT: output,
    };
    const startedAt = performance.now();
    const child = start(process.execPath, [cli, 'test', '--config', config, `--workers=${numbers.workers}`], { env });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    await child.ended;
    const seconds = (performance.now() - startedAt) / 1000;
    const lines = Buffer.concat(chunks).toString().split('\n');
    const outcomes = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    if (outcomes.length !== count)
      throw new Error(`${outcomes.length} of ${count} ran: ${child.printed.slice(0, 500)}`);
    return {
      name,
      at: new Date().toISOString(),
      seconds,
      ms: outcomes.map(({ ms }) => ms),
      waitedMs: outcomes.map(({ waitedMs }) => waitedMs),
      failures: outcomes.filter(({ failed }) => failed).map(({ title, error }) => ({ title, error })),
    };
  } finally {
    for (const burner of burners) burner.kill('SIGKILL');
    await server.stop();
    removeDirectory(output);
  }
}
