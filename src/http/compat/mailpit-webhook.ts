import type { Context } from '../../context.ts';
import type { EventType } from '../../domain/event.ts';
import type { EventSink } from '../../ports/events.ts';
import { followEvents } from './events.ts';
import { newMailOf } from './mailpit-events.ts';

// Mailpit's webhook: new mail is posted to a URL, as the WebSocket tells it (docs/drop-in.md#a-webhook-for-new-mail).

const ARRIVALS: ReadonlySet<EventType> = new Set(['message.received']);
/** The requests that are under way at once. */
const PLACES = 10;
const PATIENCE_MS = 5_000;

/**
 * Posts mail of the seeded workspace that comes from now on to the URL of the configuration, each once. The returned
 * function stops it and gives running requests `graceMs` to end.
 */
export function startMailpitWebhook(ctx: Context): (graceMs?: number) => Promise<void> {
  const { mailWebhook: settings, label } = ctx.config;
  if (settings === null) throw new Error('the configuration has no webhook for new mail');
  const { url, everySeconds, delaySeconds } = settings;
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  const headers: [string, string][] = [
    ['User-Agent', `mailcap/${ctx.runtime.version}`],
    ['Content-Type', 'application/json'],
  ];
  if (label !== '') headers.push(['Mailpit-Label', label]);
  const cut = new AbortController();
  const underWay = new Set<Promise<void>>();
  let lastAt = Number.NEGATIVE_INFINITY;

  const post = async (body: Buffer): Promise<void> => {
    try {
      if (delaySeconds > 0) await ctx.clock.sleep(delaySeconds * 1_000, cut.signal);
      const signal = AbortSignal.any([cut.signal, AbortSignal.timeout(PATIENCE_MS)]);
      const outcome = await ctx.ownFetcher.send({ target, method: 'POST', headers, body, signal });
      const problem = outcome.kind === 'answered' ? outcome.status : outcome.error;
      if (outcome.kind !== 'answered' || outcome.status < 200 || outcome.status > 299)
        ctx.log.warn('the webhook for new mail was not taken', { answer: problem });
    } catch (error) {
      if (!cut.signal.aborted) ctx.log.warn('the webhook for new mail could not be sent', { error });
    }
  };
  const sink: EventSink = {
    write: (body) => {
      const posting = post(body).then(() => {
        underWay.delete(posting);
        subscription?.resume();
      });
      underWay.add(posting);
      return underWay.size < PLACES;
    },
  };
  let subscription: { resume(): void; end(): void } | null = null;
  const started = ctx.store.read.events.lastId().then((after) => {
    if (cut.signal.aborted) return;
    subscription = followEvents(
      ctx,
      sink,
      after,
      ARRIVALS,
      async (item) => {
        // Mailpit tells nothing of mail that comes too soon after the last request.
        const now = ctx.clock.steady();
        if (now - lastAt < everySeconds * 1_000) return [];
        const told = await newMailOf(ctx, item);
        if (told.length > 0) lastAt = now;
        return told;
      },
      (value) => Buffer.from(JSON.stringify(value)),
    );
  });
  return async (graceMs = 0) => {
    const cancel = ctx.clock.after(graceMs, () => cut.abort());
    await started.catch(() => {});
    subscription?.end();
    while (underWay.size > 0) await Promise.all(underWay);
    cancel();
    cut.abort();
  };
}
