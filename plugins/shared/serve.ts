import { createMailcap, type MailcapOptions } from '../../src/index.ts';
import { isAlive } from './is-alive.ts';

// The program of a server that belongs to a test run: it ends when the run does, however that ends. Who started it is at the
// other end of an IPC channel, or the run is the process of an id, which is looked for, or both: a worker may outlive its run.

interface Order {
  readonly options: MailcapOptions;
  readonly runner: number | null;
}

const LOOK_EVERY_MS = 200;

// start-server.ts and web-server.ts wrote it.
const { options, runner }: Order = JSON.parse(process.env['MAILCAP_SERVE'] ?? '');

const end = () => process.exit(0);
const hasChannel = process.send !== undefined;
// A terminal sends them to all at once, and the run has yet to read its mail.
if (hasChannel) for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', end);
if (runner !== null) setInterval(() => isAlive(runner) || end(), LOOK_EVERY_MS);

try {
  const { ready } = await createMailcap(options);
  process.send?.(ready);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  if (process.send !== undefined) process.send({ event: 'failed', reason });
  else process.stderr.write(`mailcap: ${reason}\n`);
  process.exitCode = 1;
  process.disconnect?.();
}
// It was gone before there was anyone to hear of it.
if (hasChannel && !process.connected) process.exit();
