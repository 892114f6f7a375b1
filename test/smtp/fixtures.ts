import { test as base, vi } from 'vitest';
import { type Capture, type CaptureOptions, startCapture } from './capture.ts';

/** `start` gives a capture of its own; all are closed after the test. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
export const test = base.extend('start', async ({}, { onCleanup }) => {
  const started: Capture[] = [];
  onCleanup(async () => {
    await Promise.all(started.map((capture) => capture.close()));
  });
  return async (options?: CaptureOptions) => {
    const capture = await startCapture(options);
    started.push(capture);
    return capture;
  };
});

/** Settles once the claim holds. Generous: how long that takes is the machine's business. */
export function eventually(claim: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(claim, { timeout: 15_000, interval: 5 });
}
