import type { HeaderFilter, WholeFilter } from '../../actions/match-whole-message.ts';
import { CONDITIONS, type ConditionName } from '../../domain/diagnosis.ts';
import { parseFilter } from '../../domain/message.ts';
import type { SearchQuery } from '../../domain/search/query.ts';
import { LINK_KINDS, type LinkKind } from '../../extract/link-kinds.ts';
import { type Param, type QuerySpec, readTexts, searchWords, textParam } from '../query.ts';

// The conditions of a wait as query parameters. The await and the diagnosis that explains it take the same ones.

interface Conditions {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly header: HeaderFilter | null;
  readonly code: boolean;
  readonly link: LinkKind | 'any' | null;
  readonly query: SearchQuery;
}

const code: Param<boolean> = {
  kind: 'text',
  parse: (given) => (/^(?:1|true)$/i.test(given) ? true : /^(?:0|false)$/i.test(given) ? false : null),
  fallback: false,
  code: 'invalid_code',
  about: '1: only messages that hold a code',
};

const link: Param<LinkKind | 'any' | null> = {
  kind: 'text',
  parse: (given) => (given === 'any' ? given : (LINK_KINDS.find((kind) => kind === given.toLowerCase()) ?? null)),
  fallback: null,
  code: 'invalid_link',
  about: `Only messages that hold a link of this kind: ${LINK_KINDS.join(', ')}; any`,
};

const header: Param<HeaderFilter | null> = {
  kind: 'text',
  parse: parseHeader,
  fallback: null,
  code: 'invalid_header',
  about:
    'A header field and a text in its value, as in X-Campaign: spring; case is ignored. A name alone: the field exists',
};

export const CONDITION_PARAMS: QuerySpec<Conditions> = {
  subject: textParam('Text in the subject; case is ignored'),
  from: textParam('Text in the From header or the envelope sender; case is ignored'),
  to: textParam('Text in To, Cc or an envelope recipient; case is ignored'),
  body: textParam('Text in the visible body; case is ignored'),
  header,
  code,
  link,
  query: searchWords('Search words, as in GET /_mailcap/messages'),
};

export function toWholeFilter(given: Conditions): WholeFilter {
  const { body, header, code, link, query } = given;
  return { summary: parseFilter(given), body, header, code, link, query };
}

/** Returns the conditions of a request's query as they were given, without empty ones. */
export function givenConditions(query: string): Partial<Record<ConditionName, string>> {
  return Object.fromEntries(Object.entries(readTexts(CONDITIONS, query)).filter(([, text]) => text !== ''));
}

function parseHeader(given: string): HeaderFilter | null {
  const colon = given.indexOf(':');
  const name = (colon < 0 ? given : given.slice(0, colon)).trim().toLowerCase();
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name)) return null;
  return { name, part: colon < 0 ? '' : given.slice(colon + 1).trim() };
}
