import type { DoorCall, DoorRoute } from '../door.ts';
import { notThere } from './errors.ts';
import { signingKeyOf } from './signature.ts';

/** The path of an account, which all paths of its API begin with. */
export const ACCOUNT_PATH = '/2010-04-01/Accounts/:account';

/** Returns the account of a request, which may be a subaccount of the one that signs in. Throws Twilio's 404. */
export function accountOf(call: DoorCall): string {
  const account = call.params['account'] ?? '';
  if (!/^AC[0-9a-f]{32}$/i.test(account)) throw notThere(call);
  return account;
}

/** Returns what signs the requests to the app: the auth token of the request. */
export function signingOf({ door, headers }: DoorCall) {
  return signingKeyOf(door.keyOf(headers) ?? '');
}

export const accounts: readonly DoorRoute[] = [
  {
    method: 'GET',
    path: `${ACCOUNT_PATH}.json`,
    handle: async (call) => ({
      status: 200,
      body: { sid: accountOf(call), friendly_name: 'mailcap', status: 'active', type: 'Full', uri: call.url },
    }),
  },
];
