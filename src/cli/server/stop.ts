import { ConfigError, UserError } from '../../config/user-error.ts';
import { isSameProcess, processStart } from '../../process-start.ts';
import type { ServerFile } from '../../runtime.ts';
import { errorCode } from '../../text/unknown.ts';
import { sleep, steady } from '../clock.ts';
import { type Arguments, EXIT } from '../command.ts';
import { findServerMeant, ownServerAt } from '../connect.ts';
import { printResult, say } from '../output.ts';

/** The time that a server gets to end, in seconds. It gives running work ten seconds, and its store a moment. */
const PATIENCE_SECONDS = 30;
const LOOK_EVERY_MS = 20;

/**
 * Runs `mailcap stop`: asks the server of this directory to end, and returns when it has ended. The exit code is 3 if it
 * still runs after the timeout.
 */
export async function stop(args: Arguments): Promise<number> {
  const seconds = args.seconds('timeout') ?? PATIENCE_SECONDS;
  const { url, pid } = await serverHere(args);
  const start = processStart(pid);
  const from = steady();
  signal(pid);
  while (isSameProcess(pid, start)) {
    if (steady() - from > seconds * 1_000) {
      say(
        `the server at ${url}, process ${pid}, still runs after ${seconds} s: it lets running work finish. --timeout waits longer; a second \`mailcap stop\` ends it at once.`,
      );
      return EXIT.timedOut;
    }
    await sleep(LOOK_EVERY_MS);
  }
  return printResult(args, { url, pid }, () => say(`the server at ${url}, process ${pid}, has ended.`));
}

/** Finds the server. Throws a {@link ConfigError} for the URL of a server whose process is not known here. */
async function serverHere(args: Arguments): Promise<ServerFile> {
  const found = await findServerMeant(args);
  if (found.at === 'directory') return found.running;
  const own = await ownServerAt(found.url);
  if (own !== null) return own;
  throw new ConfigError(
    `${found.url}, which ${found.namedBy} names, is no server of this directory, so its process is not known: name its data directory with --data-dir.`,
  );
}

/** Sends the signal that a service manager sends. A process that has just ended is no error. */
function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ESRCH') return;
    throw new UserError(`process ${pid} can't be stopped by this user (${code}).`, EXIT.failed, { cause: error });
  }
}
