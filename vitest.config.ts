import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { shareOf, TWO_SERVERS_BY_DAY } from './test/support/night-share.ts';
import { POSTGRES_BIN } from './test/support/postgres-cluster.ts';

/** The tests of rules, and of servers that run in the test's own process. They share modules, which load once, by night too. */
const IN_PROCESS = [
  'test/*.test.ts',
  'test/{actions,adapters,checks,client,config,contract,domain,events,extract,fuzz}/**/*.test.ts',
  'test/{mcp,text,webhooks}/**/*.test.ts',
  'test/{http,imap,isolation,mail,otp,pop3,providers,reading,relay,smtp,store,workers,ui/app,ui/model}/**/*.test.ts',
  'test/ui/terminal/*.test.tsx',
  'test/ui/terminal/{clipboard,frames,key-reader,model}.test.ts',
  'test/cli/{named,refusals,table}.test.ts',
  'test/cli/archive/mbox.test.ts',
  'test/cli/init/plan.test.ts',
];
/** The suite of the store on PostgreSQL in this process. Where PostgreSQL is installed, that runs the suite by day. */
const IN_PROCESS_POSTGRES = ['test/store/postgres-pglite.test.ts'];
/** The tests that start processes or browsers, or change their own process. */
const PROCESSES = [
  'test/cli/!(named|refusals|table).test.ts',
  'test/cli/archive/!(mbox).test.ts',
  'test/cli/init/!(plan).test.ts',
  'test/{attacks,clients,docs,faults,package,plugins,postgres,ui/web}/**/*.test.ts',
  'test/ui/terminal/!(clipboard|frames|key-reader|model).test.ts',
  'test/**/*-browser.test.ts',
  'test/{examples,readme}.test.ts',
  'test/client/{bundle,discovery}.test.ts',
  'test/mcp/stdio.test.ts',
];
/** Those of them that only the night runs: further faults, runners and pages, each of a kind that others stand for by day. */
const REPEATED = [
  'test/attacks/{captures,floods,idempotency,mailpit-checks,printing,reading,rendering,smtp}.test.ts',
  'test/contract/generated-clients.test.ts',
  'test/examples.test.ts',
  'test/faults/{captures,event-loop,feed,full-disk-emptied,hostile,outbound-kill,played-back}.test.ts',
  'test/http/prepared-texts.test.ts',
  'test/package/{install,walk}.test.ts',
  'test/plugins/{advice,claims,clocks,flakes,kept,other-runners,pages,runs,vitest-runs,workers-killed}.test.ts',
  'test/plugins/playwright-{report,screenshots,server,times}.test.ts',
  'test/postgres/{auto-relay,away,bodies-s3,clocks,connections,copy,doctor,faults,full-disk,imap,older-server,rolling-restart,servers-s3,shared,start,store-s3,swallowed,two-servers}.test.ts',
  'test/store/simulation/{contents,damage-in-the-large,finds-faults}.test.ts',
  'test/ui/web/{compare,connection,first-load,long-words,many-messages,payloads,phone,walk-throughs,zoom-and-forced-colours}.test.ts',
];
/** The tests with other versions and other runtimes, which npm fetches. */
const NIGHT = [
  'test/client/runtimes/*.test.ts',
  'test/clients/readers.test.ts',
  'test/contract/generators.test.ts',
  'test/corpus-parsers.test.ts',
  'test/plugins/{playwright-ui,vitest-versions}.test.ts',
];

/** The tests whose server is two servers on one database by night. */
const TWO_SERVERS = ['test/{http,smtp}/**/*.test.ts', 'test/providers/{twilio,sns,vonage}.test.ts'];

/**
 * `vitest run --mode night` runs all tests and the whole of each matrix (test/support/night.ts), with new seeds and more
 * histories of the simulated disk. With MAILCAP_NIGHT_SHARE, such as `2/96`, a run takes a part of the files as at night and
 * the others as by day (test/support/night-share.ts).
 */
export default defineConfig(({ mode }) => {
  const isDay = mode !== 'night';
  const isNight = !isDay || shareOf(process.env['MAILCAP_NIGHT_SHARE']) !== null;
  // A share runs on each commit, with new histories, so it takes a tenth of those of a night.
  const histories = isDay && isNight ? '10000' : '100000';
  const nightly = isNight ? { MAILCAP_NIGHT: '1' } : {};
  const globalSetup = ['test/support/once-in-run.ts'];
  // One project by day: the workers of each would load the whole of the source for themselves.
  const day = {
    name: 'day',
    include: [...IN_PROCESS, ...PROCESSES],
    exclude: [...NIGHT, ...REPEATED, ...(POSTGRES_BIN === null ? [] : IN_PROCESS_POSTGRES)],
    isolate: false,
    setupFiles: ['test/support/fixed-seed.ts'],
    globalSetup,
  };
  const inProcess = {
    name: 'in-process',
    include: IN_PROCESS,
    exclude: [...PROCESSES, ...NIGHT],
    isolate: false,
    env: { ...nightly, MAILCAP_SIMULATION_HISTORIES: histories },
  };
  const processes = {
    name: 'processes',
    include: PROCESSES,
    exclude: NIGHT,
    isolate: false,
    globalSetup,
    env: { ...nightly, MAILCAP_FAULT_MAILS: '10000' },
  };
  const night = { name: 'night', include: NIGHT, env: nightly };
  const twoServers = {
    name: 'two-servers',
    include: isNight ? TWO_SERVERS : [...TWO_SERVERS_BY_DAY],
    exclude: PROCESSES,
    isolate: false,
    globalSetup: ['test/support/two-servers-setup.ts'],
    env: { ...nightly, MAILCAP_TEST_SERVERS: 'two' },
  };
  return {
    test: {
      // A claim about time is made in a test of it. This is how long a busy machine may take.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      // Many files wait more than they work, so there are more workers than the two cores of CI. Each worker loads the
      // source for itself: with six the run is longer, and each test waits twice as long for its turn.
      maxWorkers: 4,
      // Young objects of a test mostly die with it. With more room for them the collector runs less often.
      execArgv: ['--max-semi-space-size=64'],
      // The projects share modules, and each would transform them for itself.
      experimental: { fsModuleCache: true },
      sequence: { sequencer: LongestFirst },
      // What a test waits for comes in a moment. On a busy machine a moment takes longer than the second that is the default.
      expect: { poll: { timeout: 15_000 } },
      reporters: ['default', './test/support/skipped-reporter.ts', './test/support/traps-reporter.ts'],
      projects: [
        ...(isNight ? [inProcess, processes, night] : []),
        ...(isDay ? [day] : []),
        ...(POSTGRES_BIN === null ? [] : [twoServers]),
      ].map((test) => ({ extends: true, test })),
    },
  };
});
