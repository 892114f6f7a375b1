import type { Api } from '../connection/caller.ts';
import type { MailboxResponse } from '../connection/resources.ts';
import { steady } from '../environment.ts';
import { LocalOnlyError, OptionError, RefusedError } from '../errors.ts';
import type { CallOptions } from '../transport/transport.ts';

// The addresses and phone numbers that a handle claims for its mailbox.

/** Throws an OptionError for a mailbox that can't claim addresses, and a LocalOnlyError in the cloud. */
export async function checkClaim(
  api: Api,
  { mailbox, isolation }: { readonly mailbox?: string | undefined; readonly isolation?: string | undefined },
): Promise<void> {
  if (!(await api.hasLocalApi()))
    throw new LocalOnlyError(
      'addresses',
      "The cloud receives mail only for its own domain. Let the app send to mailbox.address or mailbox.addressFor('alice').",
    );
  if (mailbox !== undefined || isolation === 'address')
    throw new OptionError(
      'addresses needs a mailbox that the handle creates, because the claim ends with the mailbox.',
      mailbox === undefined
        ? "Leave out isolation: 'address'."
        : 'Leave out mailbox, or use client.local.claimAddresses.',
    );
}

/** The longest time that the server lets a claim wait, in milliseconds. */
const LONGEST_WAIT_MS = 600_000;
/** The time that the answer of the server may take once the wait is over, in milliseconds. */
const ANSWER_MS = 2_000;

/**
 * Claims addresses for a mailbox that was just created. With `waitMs` it waits while another mailbox claims one of them.
 * Deletes the mailbox if the claim fails.
 */
export async function claim(
  api: Api,
  { id }: MailboxResponse,
  addresses: readonly string[],
  { waitMs, timeout, signal }: CallOptions & { readonly waitMs: number | null },
): Promise<void> {
  const startedAt = steady();
  const seconds = waitMs === null ? null : Math.ceil(Math.min(waitMs, LONGEST_WAIT_MS) / 1_000);
  try {
    await api.local.claimAddresses(
      id,
      addresses,
      { timeout: seconds ?? undefined },
      seconds === null ? { timeout, signal } : { timeout: seconds * 1_000 + ANSWER_MS, signal },
    );
  } catch (error) {
    // The caller's signal may have ended the wait, and the mailbox must go nevertheless.
    await api.local.deleteMailbox(id, { timeout });
    const waitedMs = seconds === null ? null : Math.round(steady() - startedAt);
    throw error instanceof RefusedError ? explained(error, addresses, waitedMs) : error;
  }
}

function explained(error: RefusedError, addresses: readonly string[], waitedMs: number | null): RefusedError {
  const { status, requestId, call, url, extra } = error;
  const details = { status, requestId, call, url };
  if (error.code === 'invalid_addresses') {
    // The server names the entry that is wrong. If all are right, there are too many of them.
    const wrong = addresses[Number(extra['index'])];
    if (wrong === undefined) {
      const message = `a mailbox claims at most 1,000 addresses and numbers; there are ${addresses.length}.`;
      return new RefusedError(error.code, message, details, extra);
    }
    const [list, kind, hint] =
      /^[\s+(]*\d/.test(wrong) && !wrong.includes('@')
        ? ['phones', 'a phone number with its country code', "An entry is a whole number such as '+15005550006'."]
        : [
            'addresses',
            'an address',
            "An entry is a whole address such as 'alice@email.com', or '*@acme.test' for all addresses of a domain.",
          ];
    const message = `${list} contains ${JSON.stringify(wrong)}, which is not ${kind}.`;
    return new RefusedError(error.code, message, { ...details, hint }, extra);
  }
  if (error.code !== 'address_taken') return error;
  const { address, mailboxName, workspaceName } = extra;
  // A handle's mailbox has the name of its test and a random suffix.
  const holder = String(mailboxName).replace(/ [a-z0-9]{12}$/, '');
  const place = `(mailbox "${mailboxName}", workspace "${workspaceName}")`;
  const [message, remedy] =
    waitedMs === null
      ? [
          `"${holder}" already claims ${address} and has not ended yet ${place}.`,
          'Wait for it with `wait: true`, let each test claim another address, or do not run the tests in parallel.',
        ]
      : [
          `"${holder}" claims ${address} and has not ended after a wait of ${waitedMs} ms ${place}.`,
          'Give the test a longer timeout, or let each test claim another address.',
        ];
  const hint = `Only one test at a time can claim an address. ${remedy}`;
  return new RefusedError('address_taken', message, { ...details, hint }, extra);
}
