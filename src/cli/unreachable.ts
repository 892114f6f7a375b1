import { harmlessLine } from '../text/harmless.ts';

/** The meanings of the codes of failed connections, in plain words. */
const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it broke the connection off',
  EPIPE: 'it broke the connection off',
  UND_ERR_SOCKET: 'it broke the connection off',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of its host is not known now',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'no way leads there',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
};
const CODE = new RegExp(`\\b(${Object.keys(WHY).join('|')})\\b`);

/** Returns the sentence that a server can't be reached. All commands say it alike. */
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
  // fetch calls no port of a list of its own.
  if (text === 'bad port') return 'this port is not one for HTTP';
  const code = CODE.exec(text)?.[1];
  return (code === undefined ? undefined : WHY[code]) ?? harmlessLine(text.replace(/\.$/, ''), 200);
}

function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermost(error.cause) : error.message || error.name;
}
