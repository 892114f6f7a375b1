import type { Api } from '../connection/api.ts';
import type { MailboxResponse } from '../connection/resources.ts';
import { LocalOnlyError, OptionError, RefusedError } from '../errors.ts';
import type { CallOptions } from '../transport/deadline.ts';

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

/** Claims addresses for a mailbox that was just created. Deletes the mailbox if the claim fails. */
export async function claim(
  api: Api,
  { id }: MailboxResponse,
  addresses: readonly string[],
  options: CallOptions,
): Promise<void> {
  try {
    await api.local.claimAddresses(id, addresses, options);
  } catch (error) {
    await api.local.deleteMailbox(id, options);
    throw error instanceof RefusedError ? explained(error, addresses) : error;
  }
}

function explained(error: RefusedError, addresses: readonly string[]): RefusedError {
  const { status, requestId, call, url, extra } = error;
  const details = { status, requestId, call, url };
  if (error.code === 'invalid_addresses') {
    const wrong = addresses[Number(extra['index'])] ?? '';
    return new RefusedError(
      error.code,
      `addresses contains ${JSON.stringify(wrong)}, which is not an address.`,
      {
        ...details,
        hint: "An entry is a whole address such as 'alice@email.com', or '*@acme.test' for all addresses of a domain.",
      },
      extra,
    );
  }
  if (error.code !== 'address_taken') return error;
  const { address, mailboxName, workspaceName } = extra;
  // A handle's mailbox has the name of its test and a random suffix.
  const holder = String(mailboxName).replace(/ [a-z0-9]{12}$/, '');
  return new RefusedError(
    'address_taken',
    `"${holder}" already claims ${address} and has not ended yet (mailbox "${mailboxName}", workspace "${workspaceName}").`,
    {
      ...details,
      hint: 'Only one test at a time can claim an address. Let each test claim another address, or do not run the tests in parallel.',
    },
    extra,
  );
}
