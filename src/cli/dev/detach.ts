import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findReadyServer } from '../../client/connection/find-server.ts';
import { nullIfNoServer } from '../../client/errors.ts';
import type { Config } from '../../config/options.ts';
import { UserError } from '../../config/user-error.ts';
import { makeDirectory } from '../../make-directory.ts';
import { ownCommand } from '../../own-files.ts';
import { otherWriter } from '../../ownership.ts';
import type { Ready } from '../../runtime.ts';
import { isObject, jsonOrNull } from '../../text/unknown.ts';
import { EXIT } from '../command.ts';
import { say, sayText } from '../output.ts';

const LOG = 'server.log';
/** The variable by which a server knows that npx started it, so that it ends with npx. This one is to go on. */
const OF_NPX = 'npm_command';

/**
 * Starts the server of `mailcap dev` in a process of its own, which goes on after this one, and returns when it is
 * ready. What it logs goes to a file in its data directory. `args` are those of `dev` without --detach and --json,
 * and `tell` reports the server.
 */
export async function startDetached(
  config: Config,
  args: readonly string[],
  tell: (ready: Ready, adminToken: string | null) => void,
): Promise<number> {
  const other = await findReadyServer(config.dataDir).catch(nullIfNoServer);
  const log = openLog(config, other !== null);
  const { [OF_NPX]: _, ...env } = process.env;
  const [program, own] = ownCommand(['dev', ...args, '--json']);
  const child = spawn(program, own, {
    detached: true,
    windowsHide: true,
    env,
    // Without a log it does not start, and says here why.
    stdio: ['ignore', 'pipe', log === null ? 'inherit' : log.file],
  });
  if (log !== null) closeSync(log.file);
  const ready = await readyLineOf(child);
  if (ready === null) {
    sayText(log === null ? '' : readFileSync(log.path).toString('utf8', log.from));
    throw new UserError(`the server ended before it was ready${log === null ? '' : `; ${log.path} has its log`}.`);
  }
  // The server goes on without a reader of its events.
  child.stdout?.destroy();
  child.unref();
  const announced = await findReadyServer(config.dataDir).catch(nullIfNoServer);
  const isAnnounced = announced?.pid === ready.pid;
  tell(ready, isAnnounced ? announced.adminToken : null);
  const end = isAnnounced
    ? '`mailcap stop` ends the server'
    : `\`mailcap stop\` does not find this server: end it by its process id, ${ready.pid}`;
  if (log !== null && !config.json) say(`its log is ${log.path}; ${end}.`);
  return EXIT.done;
}

/**
 * Waits for the line that a server prints when it is ready; null if it ended before. A config program may print other
 * lines.
 */
function readyLineOf(child: ChildProcess): Promise<Ready | null> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const told = jsonOrNull(line);
      if (isReadyLine(told)) resolve(told);
    });
    child.once('error', reject);
    child.once('exit', () => resolve(null));
  });
}

function isReadyLine(told: unknown): told is Ready {
  return isObject(told) && told['event'] === 'ready';
}

interface ServerLog {
  readonly path: string;
  /** Its file descriptor. */
  readonly file: number;
  /** The number of bytes that another server wrote to it before. */
  readonly from: number;
}

/**
 * Opens the log of the server, which begins anew unless another server writes to it. Null if another user may write to
 * the directory: the server itself then says why it does not start there.
 */
function openLog({ dataDir }: Config, isShared: boolean): ServerLog | null {
  const path = join(dataDir, LOG);
  try {
    makeDirectory(dataDir, 0o700);
    if (otherWriter(lstatSync(dataDir)) !== null) return null;
    const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    const flags = O_WRONLY | O_CREAT | (isShared ? 0 : O_TRUNC) | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
    const file = openSync(path, flags, 0o600);
    return { path, file, from: fstatSync(file).size };
  } catch {
    return null;
  }
}
