import { expect, test } from 'vitest';
import { localRoutes } from '../../src/http/app.ts';
import { templateOf } from '../../src/http/openapi/document.ts';

/** The documented routes of the local API, one a line. */
const ROWS = `
  GET health | GET info | POST reset
  GET workspaces | POST workspaces | GET workspaces/{id} | PATCH workspaces/{id} | DELETE workspaces/{id}
  GET workspaces/{id}/keys | POST workspaces/{id}/keys | DELETE keys/{id}
  GET workspaces/{id}/groups | POST workspaces/{id}/groups | DELETE groups/{id}
  GET workspaces/{id}/identities | POST workspaces/{id}/identities | DELETE identities/{id}
  GET workspaces/{id}/authenticators | POST workspaces/{id}/authenticators | DELETE authenticators/{id} | POST totp
  GET workspaces/{id}/suppression | POST workspaces/{id}/suppression
  GET mailboxes | GET mailboxes/{id} | PATCH mailboxes/{id} | DELETE mailboxes/{id} | PUT mailboxes/{id}/addresses
  GET messages | PATCH messages | DELETE messages | GET mailboxes/{id}/messages | DELETE mailboxes/{id}/messages | POST mailboxes/{id}/messages
  GET mailboxes/{id}/await | GET mailboxes/{id}/latest | GET mailboxes/{id}/diagnosis | POST mailboxes/{id}/matching-message | POST mailboxes/{id}/texts
  GET messages/{id} | PATCH messages/{id} | DELETE messages/{id} | GET messages/{id}/raw | GET messages/{id}/attachments/{attachmentId}
  GET messages/{id}/attachments/{attachmentId}/message
  GET messages/{id}/thread | GET messages/{id}/checks | GET messages/{id}/html-support | GET messages/{id}/links | POST messages/{id}/links/check | GET messages/{id}/view | POST messages/{id}/view | POST messages/{id}/release | POST messages/{id}/interactions
  GET webhooks/requests/{id} | GET webhooks/requests/{id}/body | GET webhooks/{id}/responses | PUT webhooks/{id}/responses
  GET sends | GET sends/{id} | GET smtp/sessions | GET waits | GET clock | PUT clock | GET workspaces/{id}/clock | PUT workspaces/{id}/clock | GET workspaces/{id}/clock/await | GET runs | GET runs/{id} | PUT runs/{id}/tests/{testId} | DELETE runs/{id} | GET faults | PUT faults | POST faults | DELETE faults/{id}
  GET metrics | GET feed | GET openapi.json
  GET webhook-samples | POST webhook-deliveries | POST webhook-playbacks | GET webhooks/{id}/recording | GET clock/await
`;

/** Routes that are not in the list: those of views, and those of the fixtures. */
const OTHERS =
  'POST messages/{id}/attachments/{attachmentId}/message/view | GET view/{token}/ | GET view/{token}/parts/{attachmentId} | GET webhooks/{id}/requests/await';

/** The routes of the web inbox, which need no key. */
const OF_THE_PAGE = `
  DELETE suppression/{id} | POST mailboxes/{id}/send | GET authenticators/{id}/code
  POST workspaces/{id}/mailboxes | GET messages/previews | GET webhooks/requests/previews | GET messages/{id}/content
  GET webhooks | POST workspaces/{id}/webhooks | GET webhooks/{id}
  PATCH webhooks/{id} | DELETE webhooks/{id} | GET webhooks/{id}/requests
  DELETE webhooks/{id}/requests | POST webhooks/requests/{id}/replay | GET events
`;

const rowsOf = (text: string) =>
  text
    .split(/[|\n]/)
    .map((row) => row.trim())
    .filter((row) => row !== '');

test('the local API has exactly the operations that this list names', () => {
  const routed = localRoutes
    .filter(({ path }) => path.startsWith('/_mailcap/'))
    .map(({ method, path }) => `${method} ${templateOf(path).slice('/_mailcap/'.length)}`);
  expect(routed.sort()).toEqual([...rowsOf(ROWS), ...rowsOf(OTHERS), ...rowsOf(OF_THE_PAGE)].sort());
});
