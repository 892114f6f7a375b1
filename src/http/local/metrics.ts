import { Readable } from 'node:stream';
import { Download } from '../answer.ts';
import { localRoute } from '../route.ts';

/** The media type of the Prometheus text format. */
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

// This module implements docs/ci.md#metrics.

export const metrics = [
  localRoute('GET', '/_mailcap/metrics', {
    id: 'getMetrics',
    summary: 'Get metrics for Prometheus',
    gives: { type: 'text/plain' },
    returns: { 200: 'bytes' },
    handle: async ({ ctx }) => {
      const counts = await ctx.store.read.counts();
      const { waiters, feed, feedOfLists, store } = ctx;
      const subscribers = feed.size + feedOfLists.size;
      const levels = { ...counts, waiters: waiters.size, subscribers, storage: store.health };
      const text = Buffer.from(await ctx.metrics.write(levels));
      const headers = { 'Content-Type': PROMETHEUS, 'X-Content-Type-Options': 'nosniff' };
      return new Download(headers, text.length, () => Readable.from([text]));
    },
  }),
];
