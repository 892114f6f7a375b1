import { checkMessage } from '../../actions/check-message.ts';
import { type ClientId, clientsNamed } from '../../checks/clients/named.ts';
import { parseRuleName, type RuleName } from '../../checks/judge.ts';
import { refuse } from '../../domain/errors.ts';
import { anyMessage } from '../find.ts';
import { inPieces } from '../large-json.ts';
import type { Param } from '../query.ts';
import { localRoute } from '../route.ts';
import { ChecksResponse, toChecksResponse } from './check-schemas.ts';

// This module implements docs/checks.md: the checks of a message.

/** The most names of a parameter. Each is compared with every finding. */
const MAX_NAMES = 100;

const clients: Param<readonly ClientId[]> = {
  kind: 'text',
  parse: (text) => clientsNamed(namesIn(text)),
  fallback: clientsNamed([]) ?? [],
  code: 'invalid_clients',
  about: 'Mail clients with commas between them: gmail, outlook.windows, all. Default: the clients of most readers',
};

const reach: Param<boolean> = {
  kind: 'text',
  parse: (text) => (text === '1' ? true : text === '0' ? false : null),
  fallback: false,
  code: 'invalid_reach',
  about: '1: request each link to see whether it works',
};

function rules(about: string): Param<readonly RuleName[]> {
  return {
    kind: 'text',
    parse: (text) =>
      namesIn(text).map((name) => {
        const parsed = parseRuleName(name);
        // A misspelt rule is refused. Otherwise it would match nothing, and the user would not see why.
        if (parsed === null) throw refuse('invalid_rules', { rule: name.slice(0, 200) });
        return parsed;
      }),
    fallback: [],
    code: 'invalid_rules',
    about,
  };
}

/** Reads names with commas between them. Throws `too_many_names`, because dropping a name would mislead the caller. */
function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const filled = names.filter((name) => name !== '');
  if (filled.length > MAX_NAMES) throw refuse('too_many_names', { limit: MAX_NAMES });
  return filled;
}

export const checks = [
  localRoute('GET', '/_mailcap/messages/:id/checks', {
    id: 'checkMessage',
    summary: 'Check a message for problems that its readers would have',
    description:
      'Clients, links, placeholders, unsubscribing, accessibility, size, hygiene and authentication. Nothing is requested over the network unless reach is 1.',
    find: anyMessage,
    query: {
      clients,
      allow: rules('Rules to ignore, with commas between them: link-http, client-support:css-*'),
      deny: rules('Rules whose notes count as warnings'),
      reach,
    },
    returns: { 200: ChecksResponse },
    fails: ['too_many_names'],
    handle: async ({ ctx, found, query, exchange }) => {
      const report = await checkMessage(ctx, found, query, exchange);
      return inPieces(toChecksResponse(found, report, query.clients));
    },
  }),
];
