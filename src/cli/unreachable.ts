import { errorCode, innermostReason } from '../text/unknown.ts';
import { plainReason, UNREACHED } from '../text/unreached.ts';

/** Returns the sentence that a server can't be reached, for all commands. */
export function noAnswerAt(url: string, error: unknown): string {
  return `no server answers at ${url} (${whyUnreached(error)}): is it running? \`npx mailcap dev\` starts one.`;
}

/** Returns the reason of a failed connection in plain words. An error of fetch holds it as its cause. */
export function whyUnreached(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const code = errorCode(at) ?? '';
    // The parser of HTTP in Node.js has these codes.
    if (code.startsWith('HPE_')) return 'what answers there speaks no HTTP, as the SMTP port does not';
    if (Object.hasOwn(UNREACHED, code)) return UNREACHED[code] ?? code;
  }
  return plainReason(innermostReason(error));
}

/** The explanation of each status that a health check can return. */
const TROUBLES: ReadonlyMap<unknown, string> = new Map([
  ['stopping', 'is stopping: start it again with `mailcap dev`.'],
  ['disk_full', 'has a full disk and takes no mail until there is room: make some, or delete messages.'],
  [
    'storage_lost',
    'stores nothing any more, because its data directory is gone or was replaced: stop it and start it again.',
  ],
  [
    'storage_unavailable',
    "takes no mail, because a write to its disk failed: see the server's log and check the disk.",
  ],
]);

/** Explains the state of a server and how to fix it, as the end of a sentence; null if there is nothing to say. */
export function troubleOf(status: unknown): string | null {
  return TROUBLES.get(status) ?? null;
}
