import { harmlessLine } from './harmless.ts';

/** The results of forwarding a captured request, at the positions of the API's numbers. */
export const FORWARDS = ['none', 'pending', 'delivered', 'failed'] as const;
export type Forward = (typeof FORWARDS)[number];

/** Returns the result of a forward, as in `delivered 200`; empty if the request was not forwarded. */
export function saidForward(forward: Forward, httpStatus: number | null): string {
  return forward === 'none' ? '' : [forward, httpStatus ?? ''].join(' ').trim();
}

/** Returns the sentence after a captured request was forwarded again. */
export function saidReplayed(forward: Forward, httpStatus: number | null, error: string | null): string {
  const said = `Forwarded again: ${saidForward(forward, httpStatus)}`;
  return forward === 'failed' && error !== null ? `${said}: ${harmlessLine(error, 500)}` : said;
}
