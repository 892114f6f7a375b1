import type { Authenticator, CallOptions, Mailbox, Webhook } from '../../src/client/index.ts';
import { isPlain, nonConsumingWaitOf, shown, withNonConsumingWait } from '../../src/client/internal.ts';
import { sited } from './call-site.ts';
import type { RecordedWait, UsedHandle, Waiter } from './waiting.ts';

// This module wraps the client's handles for a test. Each wait ends in time, is shown as a step, and is recorded for
// the report.

/** A call that takes a filter and options with a timeout. */
type Wait<Result> = (filter?: object, options?: CallOptions) => Promise<Result>;

/** The facts that all waits on one handle share. */
type Watched = Pick<RecordedWait, 'of' | 'thing' | 'happenings'>;

export function watchMailbox(attempt: Waiter, { handle, happenings }: UsedHandle<Mailbox>): Mailbox {
  const about: Watched = { of: handle.address, thing: { what: 'mailbox', id: handle.id }, happenings };
  const watched = <Result>(call: string, act: Wait<Result>) =>
    sited((site, filter?: object, options: CallOptions = {}) =>
      attempt.wait({ ...about, call, filter, site }, options, (given) => act(filter, given)),
    );
  const mailbox: Mailbox = {
    ...handle,
    waitForMessage: watched('waitForMessage', handle.waitForMessage),
    waitForMessages: sited((site, count, filter, options = {}) =>
      attempt.wait({ ...about, call: `waitForMessages ${shown(count)}`, filter, site }, options, (given) =>
        handle.waitForMessages(count, filter, given),
      ),
    ),
    waitForCode: watched('waitForCode', handle.waitForCode),
    waitForSms: watched('waitForSms', handle.waitForSms),
    waitForLink: watched('waitForLink', handle.waitForLink),
    peek: watched('peek', handle.peek),
    expectNoMessage: sited((site, filter, options) =>
      attempt.watch({ ...about, call: 'expectNoMessage', filter, site }, options?.for, () =>
        handle.expectNoMessage(filter, options),
      ),
    ),
  };
  return peeking(attempt, handle, mailbox, about);
}

export function watchWebhook(attempt: Waiter, { handle, happenings }: UsedHandle<Webhook>): Webhook {
  const about: Watched = { of: handle.url, thing: { what: 'webhook', id: handle.id }, happenings };
  const webhook: Webhook = {
    ...handle,
    waitForRequest: sited((site, filter, options = {}) =>
      attempt.wait({ ...about, call: 'waitForRequest', filter, site }, options, (given) =>
        handle.waitForRequest(filter, given),
      ),
    ),
    waitForRequests: sited((site, count, filter, options = {}) =>
      attempt.wait({ ...about, call: `waitForRequests ${shown(count)}`, filter, site }, options, (given) =>
        handle.waitForRequests(count, filter, given),
      ),
    ),
    expectNoRequest: sited((site, filter, options) =>
      attempt.watch({ ...about, call: 'expectNoRequest', filter, site }, options?.for, () =>
        handle.expectNoRequest(filter, options),
      ),
    ),
  };
  return peeking(attempt, handle, webhook, about);
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
