import type { CapturedRequest } from './captured-request.ts';
import { asks, checkFilter, whyNot } from './check-filter.ts';
import { each, text, textOrPattern } from './check-options.ts';
import { hasText, type TextFilter, writeTextFilter } from './text-match.ts';

/** What a captured request must be like, all of it. Texts are parts in any case; a method is all of it. */
export interface RequestFilter {
  readonly method?: string | undefined;
  readonly path?: TextFilter | undefined;
  readonly query?: TextFilter | undefined;
  /** Of the body as text. */
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
  const refusals: string[] = [];
  const { method, body, where } = filter;
  if (method !== undefined && method.toUpperCase() !== request.method)
    refusals.push(`method is ${request.method}, not ${method.toUpperCase()}`);
  for (const name of ['path', 'query'] as const) {
    const wanted = filter[name];
    if (wanted !== undefined && !hasText([request[name]], wanted))
      refusals.push(`${name} has no ${writeTextFilter(wanted)}: it is ${JSON.stringify(request[name])}`);
  }
  const isReport = which === 'every';
  if (refusals.length > 0 && !isReport) return refusals;
  if (body !== undefined && !hasText([request.text()], body)) refusals.push(`body has no ${writeTextFilter(body)}`);
  if (where !== undefined && isReport) refusals.push(...[whyNot(where, request)].filter((reason) => reason !== null));
  else if (refusals.length === 0 && where !== undefined && !asks(where, request)) refusals.push('where said no');
  return refusals;
}
