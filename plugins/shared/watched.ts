import type { Authenticator, CallOptions, Mailbox, WatchOptions, Webhook } from '../../src/client/index.ts';
import { isPlain, nonConsumingWaitOf, shown, withNonConsumingWait } from '../../src/client/internal.ts';
import { sited } from './call-site.ts';
import type { RecordedWait, UsedHandle, Waiter } from './waiting.ts';

// This module wraps the client's handles for a test. Each wait ends in time, is shown as a step, and is recorded for
// the report.

/** The facts that all waits on one handle share. */
type Watched = Pick<RecordedWait, 'of' | 'thing' | 'happenings'>;

export function watchMailbox(attempt: Waiter, { handle, happenings }: UsedHandle<Mailbox>): Mailbox {
  const about: Watched = { of: handle.address, thing: { what: 'mailbox', id: handle.id }, happenings };
  const { one, many, none } = watchersOf(attempt, about);
  const mailbox: Mailbox = {
    ...handle,
    waitForMessage: one('waitForMessage', handle.waitForMessage),
    waitForMessages: many('waitForMessages', handle.waitForMessages),
    waitForCode: one('waitForCode', handle.waitForCode),
    waitForSms: one('waitForSms', handle.waitForSms),
    waitForLink: one('waitForLink', handle.waitForLink),
    peek: one('peek', handle.peek),
    expectNoMessage: none('expectNoMessage', handle.expectNoMessage),
  };
  return peeking(attempt, handle, mailbox, about);
}

export function watchWebhook(attempt: Waiter, { handle, happenings }: UsedHandle<Webhook>): Webhook {
  const about: Watched = { of: handle.url, thing: { what: 'webhook', id: handle.id }, happenings };
  const { one, many, none } = watchersOf(attempt, about);
  const webhook: Webhook = {
    ...handle,
    waitForRequest: one('waitForRequest', handle.waitForRequest),
    waitForRequests: many('waitForRequests', handle.waitForRequests),
    expectNoRequest: none('expectNoRequest', handle.expectNoRequest),
  };
  return peeking(attempt, handle, webhook, about);
}

type Filter = object | undefined;

/** Returns what wraps the calls of a handle: a wait for one item, a wait for many, and a watch that none comes. */
function watchersOf(attempt: Waiter, about: Watched) {
  return {
    one: <Result>(call: string, act: (filter?: Filter, options?: CallOptions) => Promise<Result>) =>
      sited((site, filter?: Filter, options: CallOptions = {}) =>
        attempt.wait({ ...about, call, filter, site }, options, (given) => act(filter, given)),
      ),
    many: <Result>(call: string, act: (count: number, filter?: Filter, options?: CallOptions) => Promise<Result>) =>
      sited((site, count: number, filter?: Filter, options: CallOptions = {}) =>
        attempt.wait({ ...about, call: `${call} ${shown(count)}`, filter, site }, options, (given) =>
          act(count, filter, given),
        ),
      ),
    none: (call: string, act: (filter: Filter, options: WatchOptions) => Promise<void>) =>
      sited((site, filter: Filter, options: WatchOptions) =>
        attempt.watch({ ...about, call, filter, site }, options?.for, () => act(filter, options)),
      ),
  };
}

/** The default of `minRemaining` in the client, in milliseconds. */
const MIN_REMAINING_MS = 5_000;

export function watchAuthenticator(attempt: Waiter, authenticator: Authenticator): Authenticator {
  return {
    id: authenticator.id,
    get lastWait() {
      return authenticator.lastWait;
    },
    code: sited((site, options = {}) => {
      // By default the wait may last until the next time step. The test's own timeout limits it.
      const timeout = Number.POSITIVE_INFINITY;
      const waiting = { of: 'the authenticator', thing: null, call: 'code', timeout, happenings: [], site };
      // A test that ends soon can't wait long. If the code of this step stays valid for half of the test's time, the
      // test gets it. Otherwise the next step begins within half of the test's time.
      const minRemaining = Math.min(MIN_REMAINING_MS, attempt.allowedMs() / 2);
      const given = isPlain(options) ? { minRemaining, ...options } : options;
      return attempt.wait(waiting, given, (timed) => authenticator.code(timed));
    }),
  };
}

function peeking<Handle extends object>(attempt: Waiter, inner: Handle, outer: Handle, about: Watched): Handle {
  const peek = nonConsumingWaitOf(inner);
  if (peek === null) return outer;
  return withNonConsumingWait(outer, (filter, options) =>
    attempt.wait({ ...about, call: 'toHaveReceived', filter, site: undefined }, options, (given) =>
      peek(filter, given),
    ),
  );
}
