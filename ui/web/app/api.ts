import type { Operation } from '../../../src/client/connection/operations.ts';
import { pathOf, readArguments, writeQuery } from '../../../src/client/connection/request.ts';
import type {
  ClockSetting,
  DiagnoseMailboxQuery,
  FoundMessage,
  LocalApi,
  MessageDetailResponse,
  MessageSummaryResponse,
  MessageView,
  SendMatchingMessageQuery,
  ViewFields,
} from '../../../src/client/index.ts';
import type { MatchedSnippet } from '../../../src/text/around-match.ts';
import { type Backend, BackendError } from './ports.ts';

export type * from '../../../src/client/index.ts';
export type MessageContent = MessageDetailResponse;
/** The summary of a message. The feed's events have no marks, because new messages have none. */
export type Summary = MessageSummaryResponse &
  Partial<Pick<FoundMessage, 'kind' | 'mailboxId' | 'copyKey' | 'read' | 'starred' | 'tags'>> & {
    readonly matches?: readonly MatchedSnippet[] | undefined;
  };
/** The URL that shows a mail's HTML in a frame for some minutes, and the hosts from which the HTML would load. */
export type MessageFrame = MessageView;

/** The id that stands for all mailboxes together. */
export const ALL_MAIL = 'all';

/**
 * The operations that the list and an open message need. The table of all is loaded with the first other call, so that
 * the first load is small. A test compares both.
 */
export const FIRST_OPERATIONS: Readonly<Record<string, Operation>> = {
  getInfo: { method: 'GET', path: '/_mailcap/info', gives: 'json' },
  listWorkspaces: { method: 'GET', path: '/_mailcap/workspaces', gives: 'json' },
  listAllMailboxes: { method: 'GET', path: '/_mailcap/mailboxes', gives: 'json' },
  getClock: { method: 'GET', path: '/_mailcap/clock', gives: 'json' },
  listWaits: { method: 'GET', path: '/_mailcap/waits', gives: 'json' },
  searchMessages: { method: 'GET', path: '/_mailcap/mailboxes/{id}/messages', gives: 'json', asks: true },
  searchAllMessages: { method: 'GET', path: '/_mailcap/messages', gives: 'json', asks: true },
  getMessagePreviews: { method: 'GET', path: '/_mailcap/messages/previews', gives: 'json', asks: true },
  listEvents: { method: 'GET', path: '/_mailcap/events', gives: 'json', asks: true },
  markMessages: { method: 'PATCH', path: '/_mailcap/messages', gives: 'json', takes: 'json' },
  deleteMessage: { method: 'DELETE', path: '/_mailcap/messages/{id}', gives: 'nothing' },
  getMessageFacts: { method: 'GET', path: '/_mailcap/messages/{id}', gives: 'json' },
  getMessageContent: { method: 'GET', path: '/_mailcap/messages/{id}/content', gives: 'json' },
  openView: { method: 'POST', path: '/_mailcap/messages/{id}/view', gives: 'json', takes: 'json' },
  getThread: { method: 'GET', path: '/_mailcap/messages/{id}/thread', gives: 'json' },
  getRawMessage: { method: 'GET', path: '/_mailcap/messages/{id}/raw', gives: 'bytes' },
  getAttachment: { method: 'GET', path: '/_mailcap/messages/{id}/attachments/{attachmentId}', gives: 'bytes' },
};

/** Makes the calls of the local API through a backend. They are those of `client.local`, without its checks. */
function localCalls({ get, send, bytes }: Backend): LocalApi {
  const call = (operation: Operation, args: readonly unknown[]): Promise<unknown> => {
    const { ids, body, query, options } = readArguments(operation, args);
    const { signal } = options;
    // The page takes ids from answers of the server.
    const path = pathOf(operation.path, ids as readonly string[]);
    if (operation.gives === 'bytes') return bytes(path, signal);
    if (operation.gives === 'text') return bytes(path, signal).then((text) => new TextDecoder().decode(text));
    const asked = writeQuery(query);
    if (operation.method === 'GET') return get(path, asked, signal);
    const given = Object.entries(asked).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, `${value}`]],
    );
    return send(operation.method, given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`, body);
  };
  const callLater = async (id: string, args: readonly unknown[]): Promise<unknown> => {
    const { LOCAL_OPERATIONS } = await loadFromServer(() => import('../../../src/client/connection/operations.ts'));
    const operation = Object.entries<Operation>(LOCAL_OPERATIONS).find(([name]) => name === id)?.[1];
    if (operation === undefined) throw new Error(`no operation ${id}`);
    return call(operation, args);
  };
  const calls = new Proxy(
    {},
    {
      get:
        (_none, id) =>
        (...args: unknown[]) => {
          const first = FIRST_OPERATIONS[String(id)];
          return first === undefined ? callLater(String(id), args) : call(first, args);
        },
    },
  );
  // The types of the calls are generated from the same operations.
  return calls as LocalApi;
}

/** Loads code that the first view leaves out. A server that is away does not answer for it either. */
export async function loadFromServer<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch {
    throw new BackendError('unreachable', 0, 'the server does not answer.');
  }
}

/** Creates the calls that the page makes: those of the local API, and some that are shorter to write. */
export function createApi(backend: Backend) {
  const local = localCalls(backend);
  const own = {
    messages: (
      mailboxId: string,
      { before, ...asked }: { query?: string; limit: number; before: string | null },
      signal?: AbortSignal,
    ) => {
      // The reader may still be typing, and a word such as `from:` is not wrong before its end.
      // Without a query, the address is that of the answer in the page.
      // The number of all matches would delay the page.
      const typed = asked.query ? { partial: true, matches: true, total: false } : {};
      const query = { ...asked, before: before ?? undefined, ...typed };
      return mailboxId === ALL_MAIL
        ? local.searchAllMessages(query, { signal })
        : local.searchMessages(mailboxId, query, { signal });
    },
    /** Counts the messages that a search finds. */
    countFound: async (mailboxId: string, query: string, signal?: AbortSignal) => {
      const asked = { query, partial: true, limit: 1 };
      const { total } = await (mailboxId === ALL_MAIL
        ? local.searchAllMessages(asked, { signal })
        : local.searchMessages(mailboxId, asked, { signal }));
      return total;
    },
    frame: (messageId: string, attached: string | null, allow: ViewFields['allow']) =>
      attached === null ? local.openView(messageId, { allow }) : local.openAttachedView(messageId, attached, { allow }),
    // The conditions are the texts of a held await, as the server told them.
    diagnosis: (mailboxId: string, query: Readonly<Record<string, string>>, signal?: AbortSignal) =>
      local.diagnoseMailbox(mailboxId, query as DiagnoseMailboxQuery, { signal }),
    sendMatching: (mailboxId: string, conditions: Readonly<Record<string, string>>) =>
      local.sendMatchingMessage(mailboxId, conditions as SendMatchingMessageQuery),
    // The form of the page makes one of the settings.
    setClock: (setting: object | null) => local.setClock(setting as ClockSetting),
  };
  // A call of the page's own comes before one of the local API.
  return new Proxy(own, {
    get: (mine, id) => Reflect.get(Object.hasOwn(mine, id) ? mine : local, id),
  }) as LocalApi & typeof own;
}

export type ShellApi = ReturnType<typeof createApi>;
