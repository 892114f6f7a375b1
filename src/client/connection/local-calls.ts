import { OptionError } from '../errors.ts';
import {
  CALL,
  checkOptions,
  flag,
  listOfTexts,
  number,
  text,
  time,
  count as wholeNumber,
} from '../options/check-options.ts';
import { shown } from '../options/shown.ts';
import { type Caller, timeOf } from './caller.ts';
import type { LocalApi } from './local-api.ts';
import type * as local from './local-resources.ts';
import { OPERATIONS } from './operations.ts';

// These options have checks here, because the client changes them before it calls the operation.
const CHECKS = { clients: listOfTexts, allow: listOfTexts, deny: listOfTexts, reach: flag };
const DOOMED = { query: text, mailboxId: text, workspaceId: text };
/** A diagnosis takes the filters of the wait that it explains. */
const DIAGNOSIS = {
  ...{ subject: text, from: text, to: text, body: text, header: text, code: flag, link: text, query: text },
  since: time,
};
const WHOLE_AWAIT = { ...DIAGNOSIS, timeout: number };

function wholeAwait(name: string, query: local.WholeAwaitQuery, count?: number) {
  checkOptions(name, query, WHOLE_AWAIT);
  if (count !== undefined) wholeNumber('count', count);
  const { code, since, timeout = 30, ...rest } = query;
  const asked = { ...rest, count, code: code === true ? 1 : undefined, since: timeOf(since), timeout };
  return { query: asked, heldMs: timeout * 1_000 };
}

/** Returns the milliseconds for which the server may hold a delivery. The last try may take ten seconds more. */
function heldMsOf(fields: { readonly timeout?: number | undefined }): number {
  // Anything but an object with a number goes to the server, which refuses it.
  const timeout: unknown = Object(fields).timeout;
  return (typeof timeout === 'number' ? timeout : 30) * 1_000 + 10_000;
}

const CLAIM = { ...CALL, wait: OPERATIONS.claimAddresses.query.timeout };

/** Creates the calls of the local API. */
export function createLocalApi(call: Caller): LocalApi {
  return {
    health: (options) => call.ask('local.health', 'getHealth', [], {}, options),
    info: (options) => call.ask('local.info', 'getInfo', [], {}, options),
    reset: (options) => call.ask('local.reset', 'reset', [], {}, options),

    listWorkspaces: (options) => call.ask('local.listWorkspaces', 'listWorkspaces', [], {}, options),
    createWorkspace: (fields = {}, options) =>
      call.ask('local.createWorkspace', 'createWorkspace', [], { json: fields }, options),
    updateWorkspace: (id, fields, options) =>
      call.ask('local.updateWorkspace', 'updateWorkspace', [id], { json: fields }, options),
    deleteWorkspace: (id, options) => call.ask('local.deleteWorkspace', 'deleteWorkspace', [id], {}, options),

    listKeys: (id, options) => call.ask('local.listKeys', 'listKeys', [id], {}, options),
    createKey: (id, fields = {}, options) => call.ask('local.createKey', 'createKey', [id], { json: fields }, options),
    revokeKey: (id, options) => call.ask('local.revokeKey', 'revokeKey', [id], {}, options),

    listGroups: (id, options) => call.ask('local.listGroups', 'listGroups', [id], {}, options),
    createGroup: (id, fields, options) => call.ask('local.createGroup', 'createGroup', [id], { json: fields }, options),
    deleteGroup: (id, options) => call.ask('local.deleteGroup', 'deleteGroup', [id], {}, options),

    listIdentities: (id, options) => call.ask('local.listIdentities', 'listIdentities', [id], {}, options),
    createIdentity: (id, fields, options) =>
      call.ask('local.createIdentity', 'createIdentity', [id], { json: fields }, options),
    deleteIdentity: (id, options) => call.ask('local.deleteIdentity', 'deleteIdentity', [id], {}, options),
    addSuppression: (id, fields, options) =>
      call.ask('local.addSuppression', 'addSuppression', [id], { json: fields }, options),
    listSends: async (query = {}, options) => {
      checkOptions('local.listSends', query, OPERATIONS.listSends.query);
      return call.ask('local.listSends', 'listSends', [], { query: { ...query } }, options);
    },
    getSend: (id, options) => call.ask('local.getSend', 'getSend', [id], {}, options),

    listAuthenticators: (id, options) => call.ask('local.listAuthenticators', 'listAuthenticators', [id], {}, options),
    createAuthenticator: (id, fields, options) =>
      call.ask('local.createAuthenticator', 'createAuthenticator', [id], { json: fields }, options),
    deleteAuthenticator: (id, options) =>
      call.ask('local.deleteAuthenticator', 'deleteAuthenticator', [id], {}, options),

    computeTotpCode: (fields, options) =>
      call.ask('local.computeTotpCode', 'computeTotp', [], { json: fields }, options),

    updateMailbox: (id, fields, options) =>
      call.ask('local.updateMailbox', 'updateMailbox', [id], { json: fields }, options),
    claimAddresses: async (id, addresses, given = {}) => {
      checkOptions('The last argument of local.claimAddresses', given, CLAIM);
      const { wait, ...options } = given;
      const rest = wait === undefined ? {} : { query: { timeout: wait }, heldMs: wait * 1_000 };
      return call.ask('local.claimAddresses', 'claimAddresses', [id], { json: addresses, ...rest }, options);
    },
    listMailboxes: (options) => call.ask('local.listMailboxes', 'listAllMailboxes', [], {}, options),
    getMailbox: (id, options) => call.ask('local.getMailbox', 'getMailbox', [id], {}, options),
    deleteMailbox: (id, options) => call.ask('local.deleteMailbox', 'deleteMailbox', [id], {}, options),
    searchMessages: async (id, search = {}, options) => {
      checkOptions('local.searchMessages', search, OPERATIONS.searchMessages.query);
      return call.ask('local.searchMessages', 'searchMessages', [id], { query: { ...search } }, options);
    },
    searchAllMessages: async (search = {}, options) => {
      checkOptions('local.searchAllMessages', search, OPERATIONS.searchAllMessages.query);
      return call.ask('local.searchAllMessages', 'searchAllMessages', [], { query: { ...search } }, options);
    },
    deleteFoundMessages: async (search, options) => {
      checkOptions('local.deleteFoundMessages', search, DOOMED);
      const { query, mailboxId, workspaceId } = search;
      const name = 'local.deleteFoundMessages';
      // Without its query this call would delete every message.
      if (typeof query !== 'string' || query.trim() === '')
        throw new OptionError(`The query of ${name} must be a non-empty string; it is ${shown(query)}.`);
      return mailboxId === undefined
        ? call.ask(name, 'deleteFoundMessages', [], { query: { query, workspaceId } }, options)
        : call.askFor('json', name, 'clearMailbox', [mailboxId], { query: { query } }, options);
    },
    putMessage: async (id, raw, options) => {
      if (typeof raw !== 'string' && !ArrayBuffer.isView(raw))
        throw new OptionError(`The message of local.putMessage must be a string or bytes; it is ${shown(raw)}.`);
      return call.ask('local.putMessage', 'putMessage', [id], { body: raw }, options);
    },
    clearMessages: async (id, options) => {
      await call.ask('local.clearMessages', 'clearMailbox', [id], {}, options);
    },

    awaitMessage: async (id, query = {}, options) => {
      const rest = wholeAwait('local.awaitMessage', query);
      return call.askFor('jsonOrNull', 'local.awaitMessage', 'awaitWholeMessage', [id], rest, options);
    },
    awaitMessages: async (id, count, query = {}, options) => {
      const rest = wholeAwait('local.awaitMessages', query, count);
      return call.askFor('jsonOrNull', 'local.awaitMessages', 'awaitWholeMessage', [id], rest, options);
    },
    diagnose: async (id, query = {}, options) => {
      checkOptions('local.diagnose', query, DIAGNOSIS);
      const { code, since, ...rest } = query;
      const asked = { ...rest, code: code === true ? 1 : undefined, since: timeOf(since) };
      return call.ask('local.diagnose', 'diagnoseMailbox', [id], { query: asked }, options);
    },

    getMessage: (id, options) => call.ask('local.getMessage', 'getMessageFacts', [id], {}, options),
    releaseMessage: (id, fields, options) =>
      call.ask('local.releaseMessage', 'releaseMessage', [id], { json: fields }, options),
    openView: (id, fields = {}, options) => call.ask('local.openView', 'openView', [id], { json: fields }, options),
    openAttachedView: (messageId, id, fields = {}, options) =>
      call.ask('local.openAttachedView', 'openAttachedView', [messageId, id], { json: fields }, options),
    viewMessage: (id, options) => call.ask('local.viewMessage', 'viewMessage', [id], {}, options),
    checkMessage: async (id, given = {}, options) => {
      checkOptions('local.checkMessage', given, CHECKS);
      const { clients, allow, deny, reach } = given;
      const query = {
        clients: clients?.join(','),
        allow: allow?.join(','),
        deny: deny?.join(','),
        reach: reach === true ? '1' : undefined,
      };
      // A spam filter may take fifteen seconds. With `reach` each link may take ten, and the server asks eight at a
      // time.
      const heldMs = reach === true ? 70_000 : 20_000;
      return call.ask('local.checkMessage', 'checkMessage', [id], { query, heldMs }, options);
    },
    deleteMessage: (id, options) => call.ask('local.deleteMessage', 'deleteMessage', [id], {}, options),
    getRawMessage: (id, options) => call.ask('local.getRawMessage', 'getRawMessage', [id], {}, options),
    getAttachedMail: (messageId, id, options) =>
      call.ask('local.getAttachedMail', 'getAttachedMail', [messageId, id], {}, options),
    getAttachment: (messageId, id, options) =>
      call.ask('local.getAttachment', 'getAttachment', [messageId, id], {}, options),

    getWebhook: (id, options) => call.ask('local.getWebhook', 'getWebhookOf', [id], {}, options),
    awaitWebhookRequest: async (id, query = {}, options) => {
      checkOptions('local.awaitWebhookRequest', query, OPERATIONS.awaitRequest.query);
      const heldMs = (query.timeout ?? 30) * 1_000;
      return call.ask('local.awaitWebhookRequest', 'awaitRequest', [id], { query: { ...query }, heldMs }, options);
    },
    getWebhookRequest: (id, options) => call.ask('local.getWebhookRequest', 'getRequestAsSent', [id], {}, options),
    getWebhookRequestBody: (id, options) =>
      call.ask('local.getWebhookRequestBody', 'getRequestBody', [id], {}, options),
    getResponses: (id, options) => call.ask('local.getResponses', 'getResponses', [id], {}, options),
    setResponses: (id, responses, options) =>
      call.ask('local.setResponses', 'setResponses', [id], { json: responses }, options),

    getRecording: async (id, query = {}, options) => {
      checkOptions('local.getRecording', query, OPERATIONS.getRecording.query);
      return call.ask('local.getRecording', 'getRecording', [id], { query: { ...query } }, options);
    },
    listSamples: (options) => call.ask('local.listSamples', 'listSamples', [], {}, options),
    sendWebhook: (fields, options) =>
      call.ask('local.sendWebhook', 'sendWebhook', [], { json: fields, heldMs: heldMsOf(fields) }, options),
    playRecording: (fields, options) =>
      call.ask('local.playRecording', 'playRecording', [], { json: fields, heldMs: heldMsOf(fields) }, options),

    listSmtpSessions: async (query = {}, options) => {
      checkOptions('local.listSmtpSessions', query, OPERATIONS.listSmtpSessions.query);
      return call.ask('local.listSmtpSessions', 'listSmtpSessions', [], { query: { ...query } }, options);
    },
    getClock: (options) => call.ask('local.getClock', 'getClock', [], {}, options),
    awaitClock: async (until, asked = {}, options = {}) => {
      time('until', until);
      checkOptions('local.awaitClock', asked, { timeout: OPERATIONS.awaitClock.query.timeout });
      const { timeout = 30 } = asked;
      const query = { until: timeOf(until), timeout };
      return call.ask('local.awaitClock', 'awaitClock', [], { query, heldMs: timeout * 1_000 }, options);
    },
    setClock: (setting, options) => call.ask('local.setClock', 'setClock', [], { json: setting }, options),
    getWorkspaceClock: (id, options) => call.ask('local.getWorkspaceClock', 'getWorkspaceClock', [id], {}, options),
    awaitWorkspaceClock: async (id, until, asked = {}, options = {}) => {
      time('until', until);
      checkOptions('local.awaitWorkspaceClock', asked, { timeout: OPERATIONS.awaitWorkspaceClock.query.timeout });
      const { timeout = 30 } = asked;
      const sent = { query: { until: timeOf(until), timeout }, heldMs: timeout * 1_000 };
      return call.ask('local.awaitWorkspaceClock', 'awaitWorkspaceClock', [id], sent, options);
    },
    setWorkspaceClock: (id, setting, options) =>
      call.ask('local.setWorkspaceClock', 'setWorkspaceClock', [id], { json: setting }, options),
    getFaults: (options) => call.ask('local.getFaults', 'listFaults', [], {}, options),
    addFault: (rule, options) => call.ask('local.addFault', 'addFault', [], { json: rule }, options),
    removeFault: (id, options) => call.ask('local.removeFault', 'removeFault', [id], {}, options),
    setFaults: (rules, options) => call.ask('local.setFaults', 'setFaults', [], { json: rules }, options),
    metrics: (options) => call.ask('local.metrics', 'getMetrics', [], {}, options),
  };
}
