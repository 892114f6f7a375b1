import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { test } from '@playwright/test';

const { FLAKES_FROM, FLAKES_TO, FLAKES_SMTP, FLAKES_HTTP, FLAKES_POLL_MS } = process.env;

/** A wait gives up after this time, which is the default of mailcap's waits. */
const GIVES_UP_MS = 10_000;

export const SMTP = { host: '127.0.0.1', port: Number(FLAKES_SMTP) };
export const HTTP_URL = FLAKES_HTTP;

/** Yields the numbers of this run's attempts. */
export function* attempts() {
  for (let attempt = Number(FLAKES_FROM); attempt < Number(FLAKES_TO); attempt++) yield attempt;
}

/** Waits for a mail, and passes the time of the wait to the reporter. */
export async function timed(wait) {
  const startedAt = performance.now();
  const message = await wait();
  const waitedMs = performance.now() - startedAt;
  test.info().annotations.push({ type: 'waitedMs', description: waitedMs.toFixed(1) });
  return message;
}

/** Looks at once and then at a fixed interval, as the helpers of most suites do. */
export async function polled(look) {
  const deadline = performance.now() + GIVES_UP_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`no mail within ${GIVES_UP_MS} ms`);
    await setTimeout(Number(FLAKES_POLL_MS));
  }
}

/** Takes code and link from a text with regular expressions, as the helpers of most suites do. */
export function readByRegExp(text) {
  return { code: /\b\d{6}\b/.exec(text)?.[0], link: /https?:\/\/\S+/.exec(text)?.[0] };
}
