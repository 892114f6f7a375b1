// This module has what the operations of the server don't tell about the calls of the client. Everything else of a call
// comes from its operation: .build/client-operations.ts.

/**
 * The type of the body of each operation that takes one, with a question mark if the call may leave it out. The server's
 * rules read most bodies, so their schemas have no types.
 */
export const BODIES: Readonly<Record<string, string>> = {
  createMailbox: 'api.CreateMailboxRequest',
  sendEmail: 'api.SendRequest',
  createWebhook: 'api.UpsertWebhookDto',
  updateWebhook: 'api.UpsertWebhookDto',
  createWorkspace: 'local.WorkspaceFields?',
  updateWorkspace: 'local.WorkspaceFields',
  createKey: 'local.KeyFields?',
  createGroup: 'local.GroupFields',
  createIdentity: 'local.IdentityFields',
  addSuppression: 'local.SuppressionFields',
  sendFrom: 'local.SendFromFields',
  sendText: 'local.TextFields',
  createAuthenticator: 'local.AuthenticatorFields',
  computeTotp: 'local.TotpFields',
  createMailboxIn: 'api.CreateMailboxRequest',
  updateMailbox: 'local.MailboxFields',
  claimAddresses: 'readonly string[]',
  putMessage: 'string | Uint8Array',
  markMessage: 'local.MarkFields',
  markMessages: 'local.MarkManyFields',
  openView: 'local.ViewFields',
  openAttachedView: 'local.ViewFields',
  releaseMessage: 'local.ReleaseFields',
  recordInteraction: 'local.InteractionFields',
  checkLinks: 'local.LinkCheckFields?',
  createWebhookIn: 'api.UpsertWebhookDto',
  updateWebhookOf: 'api.UpsertWebhookDto',
  setResponses: 'readonly local.ScriptedResponse[]',
  sendWebhook: 'local.ServerDeliveryFields',
  playRecording: 'local.PlaybackFields',
  reportTest: 'local.TestReport',
  setClock: 'local.ClockSetting',
  setWorkspaceClock: 'local.ClockSetting',
  setFaults: 'readonly local.FaultRule[]',
  addFault: 'local.FaultRule',
};

/** The signatures of operations whose answer depends on the query. */
export const OVERLOADS: Readonly<Record<string, readonly { readonly query: string; readonly answer: string }[]>> = {
  clearMailbox: [
    { query: 'ClearMailboxQuery & { readonly query: string }', answer: 'local.DeletedCount' },
    { query: '{ readonly query?: undefined }?', answer: 'null' },
  ],
  awaitWholeMessage: [
    {
      query: 'AwaitWholeMessageQuery & { readonly count: number }',
      answer: 'local.WholeMessage[] | null',
    },
    {
      query: 'AwaitWholeMessageQuery & { readonly count?: undefined }?',
      answer: 'local.WholeMessage | null',
    },
  ],
};

/** The facts that a user of the client needs of a call beside the text of its operation. */
export const NOTES: Readonly<Record<string, string>> = {
  setClock: 'All tests of the server share it: `client.setClock()` sets the clock of the client’s workspace alone',
  addFault: '`client.addFault()` returns a handle that removes the rule',
  setFaults: 'A test that runs in parallel with others uses `addFault`',
  sendWebhook: '`client.sendWebhook()` sends it from this process instead',
};

/** The operations that are no call of the client, and the reason. */
export const UNCALLED: Readonly<Record<string, string>> = {
  followFeed: 'A WebSocket is no call with an answer: `listEvents` reads the same events.',
};
