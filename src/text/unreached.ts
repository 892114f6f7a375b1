import { harmlessLine } from './harmless.ts';

/** The meanings of the codes of failed connections, in plain words. */
export const UNREACHED: Readonly<Record<string, string>> = {
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
const CODE = new RegExp(`\\b(${Object.keys(UNREACHED).join('|')})\\b`);

/** Returns the text of a connection's error in plain words, if it names a known code. */
export function plainReason(text: string): string {
  // fetch refuses the ports of a fixed list (the "bad ports" of the Fetch standard).
  if (text === 'bad port') return 'Node.js allows no HTTP to this port';
  const code = CODE.exec(text)?.[1];
  return (code === undefined ? undefined : UNREACHED[code]) ?? harmlessLine(text.replace(/\.$/, ''), 200);
}
