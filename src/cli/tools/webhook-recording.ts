import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { clockOf } from '../../client/clock.ts';
import { loadHmac } from '../../client/webhook/signature.ts';
import { parseJsonFile } from '../../config/file.ts';
import { UserError } from '../../config/user-error.ts';
import { fileText } from '../../text/file-text.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidCount } from '../../text/said.ts';
import { errorCode } from '../../text/unknown.ts';
import { hasDatedSignature, PLAY_TIMEOUT_MS, type PlayedAnswer, play } from '../../webhooks/play.ts';
import {
  leftOutOf,
  parseRecording,
  type RecordedRequest,
  toRecording,
  writeRecording,
} from '../../webhooks/recording.ts';
import { freshOf } from '../../webhooks/sample.ts';
import { targetUrl } from '../../webhooks/signed-webhook.ts';
import { now, steady, uniqueName } from '../clock.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { print, printJson, printJsonText, say } from '../output.ts';
import { readGiven, readStdin } from '../read-given.ts';
import { asConfigError, exchange, headerFlags, schemeFlag, secretOf, targetBelow } from './outgoing.ts';
import { chance } from './webhook-send.ts';
import { findWebhook } from './webhooks.ts';

const PATIENCE_MS = 60_000;
/** The largest recording that is read, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Runs `mailcap webhooks record`: writes captured requests as JSON to commit, to a file or to standard output. */
export async function recordRequests(args: Arguments): Promise<number> {
  const client = await connect(args, PATIENCE_MS);
  const webhook = await findWebhook(client, args.operand() ?? '');
  const limit = args.count('limit');
  const given = await client.local.getRecording(webhook.id, limit === null ? {} : { limit });
  const requests = parseRecording(given);
  const text = writeRecording(toRecording(requests));
  const file = args.operand(1);
  if (file === null || file === '-') printJsonText(text);
  else await write(file, text, args.isOn('force'));
  const secrets = [...new Set(requests.flatMap(leftOutOf))];
  const left = secrets.length === 0 ? '' : `; left out: ${harmlessLine(secrets.join(', '), 300)}`;
  const where = file === null || file === '-' ? '' : ` to ${file}`;
  say(
    `${saidCount(requests.length, 'request')} written${where}${left}. Paths and bodies are complete: check them for secrets.`,
  );
  return EXIT.done;
}

/** Writes a file whole or not at all. Throws a {@link UserError} if it exists and may not be replaced. */
async function write(given: string, text: string, force: boolean): Promise<void> {
  // A symbolic link stays a link. A device or a pipe is written to, and never replaced by a file.
  const file = await realpath(given).catch(() => given);
  const made = `${file}.${uniqueName()}.part`;
  let isReserved = false;
  try {
    if (!force) {
      await writeFile(file, '', { flag: 'wx' });
      isReserved = true;
    }
    const kind = await stat(file).catch(() => null);
    if (kind !== null && !kind.isFile()) return await writeFile(file, text);
    await writeFile(made, text, { flag: 'wx' });
    await rename(made, file);
  } catch (error) {
    await rm(made, { force: true }).catch(() => {});
    // The file was created only to reserve its name.
    if (isReserved) await rm(file, { force: true }).catch(() => {});
    const code = errorCode(error) ?? String(error);
    throw new UserError(
      code === 'EEXIST'
        ? `${given} exists already; overwrite it with --force.`
        : `${given} can't be written (${code}).`,
      EXIT.failed,
      { cause: error },
    );
  }
}

/**
 * Runs `mailcap webhooks play`: sends the requests of a recording to a URL. The exit code is 1 unless each was answered
 * below 400.
 */
export async function playRecording(args: Arguments): Promise<number> {
  const json = args.isOn('json');
  const requests = await read(args.operand() ?? '');
  const to = args.operand(1) ?? '';
  const secret = await secretOf(args);
  const hmac = await loadHmac();
  const signal = new AbortController().signal;
  const order = { scheme: schemeFlag(args), secret, headers: headerFlags(args), keepsPauses: args.isOn('pauses') };
  const playback = await asConfigError(() => {
    targetUrl(to);
    return play(
      requests,
      order,
      {
        ...clockOf(null, signal),
        realNow: now,
        steady,
        newId: () => freshOf(now(), chance).id('msg_', 24),
        post: ({ method, path, query, body }, headers) =>
          exchange(targetBelow(to, path, query), {
            ...{ method, headers, timeoutMs: PLAY_TIMEOUT_MS },
            body: body ?? new Uint8Array(),
          }),
        played: (one) => {
          if (!json) showPlayed(one);
        },
      },
      hmac,
    );
  });
  if (json) printJson(playback);
  const failed = playback.requests.filter(({ status }) => status === null || status >= 400).length;
  if (failed === 0) return EXIT.done;
  const isOld = secret === null && requests.some(hasDatedSignature);
  say(
    `${failed} of ${saidCount(requests.length, 'request')} failed.${isOld ? ' Signatures of the recording carry their old time: --secret-file signs anew.' : ''}`,
  );
  return EXIT.failed;
}

function showPlayed({ number, method, path, status, error, durationMs, leftOut }: PlayedAnswer): void {
  const came = status === null ? `no answer: ${harmlessLine(error ?? '', 200)}` : `${status}`;
  const lacks = leftOut.length === 0 ? '' : `, without ${harmlessLine(leftOut.join(', '), 200)}`;
  print(`${number} ${harmlessLine(`${method} ${path}`, 300)}: ${came}, ${durationMs} ms${lacks}`);
}

async function read(file: string): Promise<RecordedRequest[]> {
  const bytes = file === '-' ? await readStdin(MAX_BYTES) : await readGiven(file, MAX_BYTES);
  return asConfigError(() => parseRecording(parseJsonFile(fileText(bytes), file)));
}
