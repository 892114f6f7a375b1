import { printed } from '../../src/client/internal.ts';
import { createMailcap, type MailcapOptions } from '../../src/index.ts';
import { isAlive } from './leftovers.ts';
import { variablesOfRunning } from './running-server.ts';

// The program of a test run's server. It ends when the run ends, even if the run is killed. It watches the IPC channel
// to the process that started it, or the process id of the run, or both, because a worker may outlive its run.

interface Order {
  readonly options: MailcapOptions;
  readonly runner: number | null;
  /** `true`: print the variables of the server that runs here as JSON, and start none. */
  readonly find?: boolean;
}

const LOOK_EVERY_MS = 200;

// start-server.ts and web-server.ts wrote this variable.
const { options, runner, find = false }: Order = JSON.parse(process.env['MAILCAP_SERVE'] ?? '');

const end = () => process.exit(0);
const hasChannel = process.send !== undefined;
// A terminal sends these signals to all processes at once. The server ignores them, because the run may still read
// mail.
if (hasChannel) for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', end);
if (runner !== null) setInterval(() => isAlive(runner) || end(), LOOK_EVERY_MS);

async function serve(): Promise<void> {
  if (find) {
    process.stdout.write(JSON.stringify(await variablesOfRunning()));
    return;
  }
  const { ready } = await createMailcap(options);
  process.send?.(ready);
}

function fail(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  if (process.send !== undefined) process.send({ event: 'failed', reason });
  else process.stderr.write(printed(`mailcap: ${reason}\n`));
  process.exitCode = 1;
  process.disconnect?.();
}

void serve()
  .catch(fail)
  .then(() => {
    // The parent ended before the `disconnect` listener was added.
    if (hasChannel && !process.connected) process.exit();
  });
