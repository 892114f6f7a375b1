import type { CapturedRequest } from './captured-request.ts';
import { checkNames } from './check-options.ts';
import { OptionError } from './errors.ts';
import { checkTextFilter, hasText, type TextFilter, writeTextFilter } from './text-match.ts';

/** What a captured request must be like, all of it. Texts are parts in any case; a method is all of it. */
export interface RequestFilter {
  readonly method?: string | undefined;
  readonly path?: TextFilter | undefined;
  readonly query?: TextFilter | undefined;
  /** Of the body as text. */
  readonly body?: TextFilter | undefined;
  readonly where?: ((request: CapturedRequest) => boolean) | undefined;
}

const TEXTS = ['path', 'query', 'body'] as const;

/** Throws an OptionError for a filter that does not exist, or that is no filter. */
export function checkRequestFilter(filter: RequestFilter): void {
  checkNames('A request filter', filter, ['method', ...TEXTS, 'where']);
  for (const name of TEXTS) checkTextFilter(name, filter[name]);
  if (filter.method !== undefined && typeof filter.method !== 'string') throw new OptionError('method must be a text.');
  if (filter.where !== undefined && typeof filter.where !== 'function')
    throw new OptionError('where must be a function of a request.');
}

/** Why the filter refuses a request; nothing where it matches. */
export function requestRefusals(request: CapturedRequest, filter: RequestFilter): string[] {
  const refusals: string[] = [];
  const { method, body, where } = filter;
  if (method !== undefined && method.toUpperCase() !== request.method)
    refusals.push(`method is ${request.method}, not ${method.toUpperCase()}`);
  for (const name of ['path', 'query'] as const) {
    const wanted = filter[name];
    if (wanted !== undefined && !hasText([request[name]], wanted))
      refusals.push(`${name} has no ${writeTextFilter(wanted)}: it is ${JSON.stringify(request[name])}`);
  }
  if (refusals.length > 0) return refusals;
  if (body !== undefined && !hasText([request.text()], body)) refusals.push(`body has no ${writeTextFilter(body)}`);
  if (refusals.length === 0 && where !== undefined && !where(request)) refusals.push('where said no');
  return refusals;
}
