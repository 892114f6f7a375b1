import type { DoorCall, DoorRoute } from '../door.ts';
import { getRoute } from '../routes.ts';
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

/** Returns the part of a list that a request asks for, as the answer has it under a name. */
export function twilioPage<T>(call: DoorCall, name: string, all: readonly T[], show: (one: T) => object): object {
  const size = Math.min(1_000, Math.max(1, Number(call.query.get('PageSize') ?? 50) || 50));
  const page = Math.max(0, Math.trunc(Number(call.query.get('Page') ?? 0)) || 0);
  const start = page * size;
  const shown = all.slice(start, start + size).map(show);
  const uriOf = (number: number) => {
    const query = new URLSearchParams(call.query);
    query.set('Page', String(number));
    query.set('PageSize', String(size));
    return `${call.url.replace(/\?.*$/s, '')}?${query}`;
  };
  return {
    [name]: shown,
    ...{ page, page_size: size, start, end: Math.max(start, start + shown.length - 1) },
    ...{ uri: uriOf(page), first_page_uri: uriOf(0) },
    next_page_uri: all.length > start + size ? uriOf(page + 1) : null,
    previous_page_uri: page > 0 ? uriOf(page - 1) : null,
  };
}

export const accounts: readonly DoorRoute[] = [
  getRoute(`${ACCOUNT_PATH}.json`, (call) => ({
    ...{ sid: accountOf(call), friendly_name: 'mailcap', status: 'active', type: 'Full', uri: call.url },
  })),
];
