import type { Operation } from '../../../src/client/connection/operations.ts';

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
  openAttachedView: {
    method: 'POST',
    path: '/_mailcap/messages/{id}/attachments/{attachmentId}/message/view',
    gives: 'json',
    takes: 'json',
  },
  getThread: { method: 'GET', path: '/_mailcap/messages/{id}/thread', gives: 'json' },
  getRawMessage: { method: 'GET', path: '/_mailcap/messages/{id}/raw', gives: 'bytes' },
  getAttachment: { method: 'GET', path: '/_mailcap/messages/{id}/attachments/{attachmentId}', gives: 'bytes' },
  getAttachedMail: { method: 'GET', path: '/_mailcap/messages/{id}/attachments/{attachmentId}/message', gives: 'json' },
};
