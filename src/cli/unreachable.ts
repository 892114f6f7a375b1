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
