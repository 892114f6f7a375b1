// The types of the client that every runner's entry point also exports.

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
