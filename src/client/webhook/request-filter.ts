import { asks, checkFilter, whyNot } from '../options/check-filter.ts';
import { each, text, textOrPattern } from '../options/check-options.ts';
import { hasText, type TextFilter, writeTextFilter } from '../options/text-match.ts';
import type { CapturedRequest } from './captured-request.ts';

/**
 * The filters of a request, all of which must match. A text matches as a part, in any case; a pattern is tested as it
 * is.
 *
 * @example await webhook.waitForRequest({ method: 'POST', path: '/orders' });
 */
export interface RequestFilter {
  /** The HTTP method, in any case. */
  readonly method?: string | undefined;
  /** A filter of the path after the capture key. */
  readonly path?: TextFilter | undefined;
  /** A filter of the query, without `?`. */
  readonly query?: TextFilter | undefined;
  /** A filter of the body as text. */
  readonly body?: TextFilter | undefined;
  /** A predicate. It must return true or false at once; any other result is an OptionError. */
  readonly where?: ((request: CapturedRequest) => boolean) | undefined;
}

const CHECKS = { method: text, ...each(['path', 'query', 'body'], textOrPattern) };

/** Throws an OptionError for an unknown filter or an invalid value. */
export function checkRequestFilter(filter: RequestFilter): void {
  checkFilter('A request filter', filter, CHECKS, 'path');
}

/**
 * Returns the reasons why a request does not match; none if it matches. `first` stops at the first reason, `every`, for
 * a report, returns all.
 */
export function requestRefusals(
  request: CapturedRequest,
  filter: RequestFilter,
  which: 'first' | 'every' = 'first',
): string[] {
  const { query, body, where } = filter;
  const refusals = listedRefusals(request, filter);
  if (query !== undefined) refusals.push(...textRefusals('query', request.query, query));
  const isReport = which === 'every';
  if (refusals.length > 0 && !isReport) return refusals;
  if (body !== undefined && !hasText([request.text()], body)) refusals.push(`body has no ${writeTextFilter(body)}`);
  if (where !== undefined && isReport) refusals.push(...[whyNot(where, request)].filter((reason) => reason !== null));
  else if (refusals.length === 0 && where !== undefined && !asks(where, request)) refusals.push('where returned false');
  return refusals;
}

/** Returns the reasons that the list of requests already tells, so that a request that can't match is not fetched. */
export function listedRefusals(
  { method, path }: Pick<CapturedRequest, 'method' | 'path'>,
  filter: RequestFilter,
): string[] {
  const wanted = filter.method?.toUpperCase() ?? method;
  return [
    ...(wanted === method ? [] : [`method is ${method}, not ${wanted}`]),
    ...(filter.path === undefined ? [] : textRefusals('path', path, filter.path)),
  ];
}

function textRefusals(name: string, text: string | null, wanted: TextFilter): string[] {
  if (hasText([text], wanted)) return [];
  return [`${name} has no ${writeTextFilter(wanted)}: it is ${JSON.stringify(text)}`];
}
