import { harmlessLine } from '../text/harmless.ts';

/** The meanings of the codes of failed connections, in plain words. */
const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the host name can not be resolved now',
  EHOSTUNREACH: 'the host can not be reached',
  ENETUNREACH: 'the host can not be reached',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
};
const CODE = new RegExp(`\\b(${Object.keys(WHY).join('|')})\\b`);

/** Returns the sentence that a server can't be reached, for all commands. */
export function noAnswerAt(url: string, error: unknown): string {
  return `no server answers at ${url} (${whyUnreached(error)}): is it running? \`npx mailcap dev\` starts one.`;
}

/** Returns the reason of a failed connection in plain words. An error of fetch holds it as its cause. */
export function whyUnreached(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const code = 'code' in at ? String(at.code) : '';
    if (Object.hasOwn(WHY, code)) return WHY[code] ?? code;
  }
  return plainReason(innermost(error));
}

/** Returns the text of a connection's error in plain words, if it names a known code. */
export function plainReason(text: string): string {
  // fetch refuses the ports of a fixed list (the "bad ports" of the Fetch standard).
  if (text === 'bad port') return 'Node.js allows no HTTP to this port';
  const code = CODE.exec(text)?.[1];
  return (code === undefined ? undefined : WHY[code]) ?? harmlessLine(text.replace(/\.$/, ''), 200);
}

function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermost(error.cause) : error.message || error.name;
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
