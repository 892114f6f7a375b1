import type { ProviderRecord } from '../../domain/provider.ts';
import type { DoorCall } from '../door.ts';
import { listRecords } from '../records.ts';
import { refuseAs, validationError } from './errors.ts';

// All answers of Resend's API write pages, times and missing things alike.

/** Which part of a list a request asks for. `after` and `before` are ids; the newest comes first. */
export interface AskedPage {
  readonly most: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads which part of a list a request asks for. */
export function askedPage({ query }: DoorCall): AskedPage {
  const limit = query.get('limit') ?? '20';
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw validationError('The `limit` parameter must be a number from 1 to 100.');
  const [after, before] = ['after', 'before'].map((name) => query.get(name)?.toLowerCase());
  for (const id of [after, before])
    if (id !== undefined && !UUID.test(id)) throw refuseAs('invalid_parameter', 'The parameter must be a valid UUID.');
  if (after !== undefined && before !== undefined) throw validationError('Use either `after` or `before`, not both.');
  return { most: Number(limit), after, before };
}

/** Writes a page of a list. `rows` has one more than the page if there are more. */
export function shownPage<T>({ most, before }: AskedPage, rows: readonly T[], show: (row: T) => object): object {
  const page = rows.slice(0, most);
  if (before !== undefined) page.reverse();
  return { object: 'list', has_more: rows.length > most, data: page.map(show) };
}

/** Shows the page of records that a request asks for. */
export async function listed(
  call: DoorCall,
  kind: 'emails' | 'webhooks' | 'received',
  show: (record: ProviderRecord) => object,
): Promise<object> {
  const page = askedPage(call);
  // The rows after an id are older, and those before it newer.
  const wanted = { before: page.after, after: page.before, limit: page.most + 1 };
  return shownPage(page, await listRecords(call, await call.ctx.store.readNow(), kind, wanted), show);
}

/** Resend writes times as PostgreSQL does. */
export function timeText(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', '000+00');
}
