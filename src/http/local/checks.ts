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
  about: 'Mail clients with commas between them: gmail, outlook.windows, all. Those of most readers if left out',
};

const reach: Param<boolean> = {
  kind: 'text',
  parse: (text) => (text === '1' ? true : text === '0' ? false : null),
  fallback: false,
  code: 'invalid_reach',
  about: '1 asks the targets of links whether they answer',
};

function rules(about: string): Param<readonly RuleName[]> {
  return {
    kind: 'text',
    parse: (text) =>
      namesIn(text).map((name) => {
        const parsed = parseRuleName(name);
        // A rule that is misspelt would allow nothing, and nobody would see why.
        if (parsed === null) throw refuse('invalid_rules', { rule: name.slice(0, 200) });
        return parsed;
      }),
    fallback: [],
    code: 'invalid_rules',
    about,
  };
}

/** Reads names with commas between them. Throws `too_many_names`, because a name that is dropped would mislead. */
function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const filled = names.filter((name) => name !== '');
  if (filled.length > MAX_NAMES) throw refuse('too_many_names', { limit: MAX_NAMES });
  return filled;
}

export const checks = [
  localRoute('GET', '/_mailcap/messages/:id/checks', {
    id: 'checkMessage',
    summary: 'Check a message for what its readers would meet',
    description:
      'Clients, links, placeholders, unsubscribing, accessibility, size, hygiene and authentication. It asks nothing over the network unless reach is 1.',
    find: anyMessage,
    query: {
      clients,
      allow: rules('Rules to leave out, with commas between them: link-http, client-support:css-*'),
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
