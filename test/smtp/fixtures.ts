import { test as base, vi } from 'vitest';
import { type Capture, type CaptureOptions, startCapture } from './capture.ts';

/** A test with the fixture `start`, which starts a capture and closes it after the test. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
export const test = base.extend('start', async ({}, { onCleanup }) => {
  const started: Capture[] = [];
  onCleanup(async () => {
    await Promise.all(started.map((capture) => capture.end()));
  });
  return async (options?: CaptureOptions) => {
    const capture = await startCapture(options);
    started.push(capture);
    return capture;
  };
});

/** Resolves when the claim holds. It waits long, because a busy machine may be slow. */
export function eventually(claim: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(claim, { timeout: 15_000, interval: 5 });
}
