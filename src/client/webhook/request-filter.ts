import { asks, checkFilter, whyNot } from '../options/check-filter.ts';
import { each, text, textOrPattern } from '../options/check-options.ts';
import { hasText, type TextFilter, writeTextFilter } from '../options/text-match.ts';
import type { CapturedRequest } from './captured-request.ts';

/**
 * What a captured request must be like, all of it. A text is a part in any case; a pattern is tried on the whole.
 *
 * @example await webhook.waitForRequest({ method: 'POST', path: '/orders' });
 */
export interface RequestFilter {
  /** The method, in any case. */
  readonly method?: string | undefined;
  /** The path after the capture key has it. */
  readonly path?: TextFilter | undefined;
  /** The query, without `?`, has it. */
  readonly query?: TextFilter | undefined;
  /** The body, as text, has it. */
  readonly body?: TextFilter | undefined;
  /** Says true or false, at once: anything else is an OptionError. */
  readonly where?: ((request: CapturedRequest) => boolean) | undefined;
}

const CHECKS = { method: text, ...each(['path', 'query', 'body'], textOrPattern) };

/** Throws an OptionError for a filter that does not exist, or that is no filter. */
export function checkRequestFilter(filter: RequestFilter): void {
  checkFilter('A request filter', filter, CHECKS, 'path');
}

/** Why the filter refuses a request; nothing where it matches. `first` stops where it is refused, `every`, for a report, tells all. */
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
  else if (refusals.length === 0 && where !== undefined && !asks(where, request)) refusals.push('where said no');
  return refusals;
}

/** Why the filter refuses a request by what the list of requests tells: it need not be fetched then. */
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
