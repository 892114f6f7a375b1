import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { apiRequests } from './figures/api-requests.js';
import { awaitLatency } from './figures/await-latency.js';
import { bodiesS3 } from './figures/bodies-s3.js';
import { captures } from './figures/captures.js';
import { clickToCode } from './figures/click-to-code.js';
import { commandLine } from './figures/command-line.js';
import { feed } from './figures/feed.js';
import { fixtures } from './figures/fixtures.js';
import { fullStore, million } from './figures/full-store.js';
import { imap } from './figures/imap.js';
import { inbox } from './figures/inbox.js';
import { ingest } from './figures/ingest.js';
import { largeMessages } from './figures/large-messages.js';
import { pageBeside } from './figures/page-beside.js';
import { postgres } from './figures/postgres.js';
import { postgresMillion } from './figures/postgres-million.js';
import { searches } from './figures/search.js';
import { startUp } from './figures/start-up.js';
import { waiters } from './figures/waiters.js';
import { webInbox } from './figures/web-inbox.js';
import { webInbox100k } from './figures/web-inbox-100k.js';
import { whatIsMissing } from './load.js';
import { describeMachine, notRun, page } from './results.js';
import { installPeers } from './servers.js';

const FIGURES = [
  ingest,
  largeMessages,
  awaitLatency,
  startUp,
  fullStore,
  million,
  postgres,
  postgresMillion,
  bodiesS3,
  waiters,
  imap,
  feed,
  apiRequests,
  captures,
  ...searches,
  inbox,
  webInbox,
  webInbox100k,
  pageBeside,
  commandLine,
  fixtures,
  clickToCode,
];

const USAGE = `npm run bench -- [--quick] [--runs <n>] [--only <figure>,...] [--out <file>]

  --quick   2 runs and smaller counts: to see that the bench works, not to quote from
  --runs    runs of each figure, 5 otherwise
  --only    only these: ${FIGURES.map(({ name }) => name).join(', ')}
  --out     where the page goes; a whole run without --quick writes bench/RESULTS.md, any other none`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const only = options.only?.split(',') ?? FIGURES.map(({ name }) => name);
const runs = Number(options.runs ?? (options.quick ? 2 : 5));
const unknown = only.filter((name) => !FIGURES.some((figure) => figure.name === name));
if (options.help || unknown.length > 0 || !Number.isInteger(runs) || runs < 1) {
  console.error(unknown.length > 0 ? `no figure ${unknown.join(', ')}\n\n${USAGE}` : USAGE);
  process.exit(options.help ? 0 : 2);
}

const at = new Date();
const startedAt = performance.now();
const loadBefore = os.loadavg()[0];
const machine = describeMachine(loadBefore);
const chosen = FIGURES.filter(({ name }) => only.includes(name));
const peersMissing = chosen.some(({ peers }) => peers) ? await installPeers() : null;
const rows = [];
const notes = [];
if (loadBefore > os.cpus().length / 4) {
  const busy = 'The machine was busy with something else before the first run: these figures are not to be quoted.';
  console.error(busy);
  notes.push(busy);
}
let failed = false;

for (const figure of chosen) {
  const measured = await measure(figure);
  for (const row of measured.rows)
    console.log([row.figure, row.measured, row.mustReach, row.verdict, row.absolute].join(' | '));
  rows.push(...measured.rows);
  notes.push(...measured.notes);
}

const whole = !options.quick && options.only === undefined;
const out = options.out ?? (whole ? new URL('RESULTS.md', import.meta.url) : null);
if (out !== null) {
  const minutes = (performance.now() - startedAt) / 60_000;
  const flags = [
    ...(options.quick ? ['--quick'] : []),
    ...(options.runs === undefined ? [] : ['--runs', options.runs]),
    ...(options.only === undefined ? [] : ['--only', options.only]),
  ];
  const command = ['npm run bench', ...(flags.length > 0 ? ['--', ...flags] : [])].join(' ');
  writeFileSync(out, page({ rows, notes, machine, at, minutes, command }));
}
process.exit(failed ? 1 : 0);

async function measure(figure) {
  const missing = whatIsMissing(figure.tools) ?? (figure.peers ? peersMissing : null);
  if (missing !== null) return { rows: [notRun(figure.title, missing)], notes: [] };
  try {
    const say = (text) => console.error(`${figure.name}: ${text}`);
    return await figure.run({ runs, quick: options.quick, say });
  } catch (error) {
    // The other figures are still run.
    failed = true;
    console.error(error);
    return { rows: [notRun(figure.title, `failed: ${error.message.split('\n')[0]}`)], notes: [] };
  }
}
