// The entry points of Playwright and Vitest also export these types of the client, which a test with fixtures names.

export type {
  ActiveFault,
  Authenticator,
  CapturedRequest,
  Client,
  FaultRule,
  Mailbox,
  Message,
  Webhook,
} from '../../src/client/index.ts';
