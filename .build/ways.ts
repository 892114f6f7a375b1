import { importGraph, type Sources } from '../test/support/boundaries.ts';

// This module says how the files of a way are counted.
//
// A way is what happens to one thing from its entry to its end: a mail to its 250. Its stages are chains of imports.
// A stage begins in the file `from`. It takes every file that lies on any chain of imports between `from` and one of
// the files in `to`, both included. So a new file between them counts by itself.
//
// - An import of types alone is no part of a chain: the reader of a call does not open it.
// - Behind an interface of src/ports the next stage begins, in the implementation that `mailcap dev` uses: the files on
//   the disk, and one server.
// - A table of commands or of operations ends a stage. A reader looks up one row, and goes on in the file of that row.
// - What every file knows (an id, an error code, a way to cut a text, the time) is no end of a stage. Nobody opens a clock
//   to learn what `now()` returns, so none of the clocks of the server, the client and the command line is one.
//
// A file that a way names has to exist and to be reached: test/boundaries.test.ts says so if it moved. Whoever moves it
// names the file that has its idea now. A way whose ends are dropped becomes shorter on paper alone.

/** A part of a way, within one process and without an interface between. */
export interface Stage {
  readonly from: string;
  /** The ends. Without any, the stage is its first file. */
  readonly to: readonly string[];
}

/** The way of one thing from its entry to its end. */
export interface Way {
  readonly name: string;
  readonly stages: readonly Stage[];
}

/** The files of a way, and what is wrong with its description. */
export interface Walked {
  readonly files: readonly string[];
  /** Files that the way names, but that don't exist or are not reached. */
  readonly lost: readonly string[];
}

export const WAYS: readonly Way[] = [
  {
    name: 'an SMTP mail to its 250',
    stages: [
      stage('src/smtp/server.ts', [
        'src/smtp/connection.ts',
        'src/smtp/parse.ts',
        'src/smtp/intake.ts',
        'src/smtp/journal.ts',
        'src/smtp/reply.ts',
        'src/mail/scan.ts',
        'src/domain/routing.ts',
        'src/actions/receive-message.ts',
      ]),
      stage('src/store/file/store.ts', [
        'src/store/file/commit.ts',
        'src/store/tables/transactions.ts',
        'src/store/file/segments.ts',
        'src/store/file/segment-format.ts',
        'src/store/disk/node-disk.ts',
      ]),
      stage('src/adapters/waiting.ts'),
    ],
  },
  {
    name: "a client's wait",
    stages: [
      stage('src/client/mailbox/mailbox.ts', [
        'src/client/mailbox/arrivals.ts',
        'src/client/mailbox/message.ts',
        'src/client/waiting/wait.ts',
        'src/client/options/check-options.ts',
      ]),
      stage('src/client/connection/caller.ts', [
        'src/client/connection/operations.ts',
        'src/client/transport/transport.ts',
      ]),
      stage('src/http/app.ts', ['src/http/operations.ts']),
      // What the app calls itself. Its routes call both too, and one row of the table is enough.
      stage('src/http/exchange.ts'),
      stage('src/http/waits.ts', ['src/http/route.ts', 'src/domain/message.ts', 'src/actions/waits.ts']),
      stage('src/adapters/waiting.ts'),
    ],
  },
  {
    name: '`mailcap messages wait`',
    stages: [
      stage('src/cli/main.ts'),
      stage('src/cli/program.ts'),
      stage('src/cli/mail/commands.ts'),
      stage('src/cli/command.ts'),
      stage('src/cli/mail/wait.ts', [
        'src/cli/command.ts',
        'src/cli/connect.ts',
        'src/cli/output.ts',
        'src/client/connection/find-server.ts',
        // The command opens no handle of a mailbox: it makes the calls of the client, one await after another.
        'src/client/connection/caller.ts',
      ]),
    ],
  },
  {
    name: 'the list of the web inbox',
    stages: [
      stage('ui/web/main.tsx', [
        'ui/model/message-list.ts',
        // Between the feed and the list
        'ui/web/app/follow-feed.ts',
        'ui/web/app/feed-changes.ts',
      ]),
    ],
  },
  {
    name: "a webhook's forward",
    stages: [
      stage('src/http/capture.ts', ['src/http/exchange.ts', 'src/domain/webhook.ts', 'src/actions/captures.ts']),
      stage('src/workers/forwarder.ts', [
        'src/domain/captured-request.ts',
        'src/webhooks/exchange.ts',
        'src/actions/captures.ts',
        'src/actions/record-event.ts',
      ]),
      stage('src/adapters/fetcher.ts', ['src/webhooks/exchange.ts']),
    ],
  },
  {
    name: 'a code found',
    stages: [
      stage('src/actions/read-message.ts'),
      stage('src/extract/find.ts'),
      stage('src/extract/codes.ts', [
        'src/extract/bounds.ts',
        'src/extract/visible-text.ts',
        'src/extract/code-shapes.ts',
        'src/extract/html-walk.ts',
        'src/extract/look.ts',
        'src/extract/code-words.ts',
        'src/extract/code-evidence.ts',
        'src/extract/code-clues.ts',
        'src/extract/code-weights.ts',
      ]),
    ],
  },
];

/** Returns the files that a reader of a way opens. `files` is every source by its path. */
export function walk(way: Way, files: Sources): Walked {
  const forth = importGraph(files, 'values');
  const back = reversed(forth);
  const found = new Set<string>();
  const lost = new Set<string>();
  for (const { from, to } of way.stages) {
    const ends = to.length === 0 ? [from] : to;
    const ahead = reached(forth, [from]);
    for (const path of [from, ...ends]) if (!files.has(path) || !ahead.has(path)) lost.add(path);
    const behind = reached(back, ends);
    for (const path of ahead) if (behind.has(path) && files.has(path)) found.add(path);
  }
  return { files: [...found].sort(), lost: [...lost] };
}

/** Returns who imports each file. */
export function reversed(graph: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const importers = new Map<string, string[]>([...graph.keys()].map((path) => [path, []]));
  for (const [path, targets] of graph) for (const target of targets) importers.get(target)?.push(path);
  return importers;
}

function stage(from: string, to: readonly string[] = []): Stage {
  return { from, to };
}

function reached(graph: ReadonlyMap<string, readonly string[]>, starts: readonly string[]): Set<string> {
  const all = new Set(starts);
  for (const path of all) for (const next of graph.get(path) ?? []) all.add(next);
  return all;
}
