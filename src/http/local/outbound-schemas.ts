import { z } from 'zod';

// The schemas of docs/api.md#workspaces-and-keys: verified sending domains, and the state of sends.

const time = z.iso.datetime({ offset: true });

const anything = z.unknown().optional();

export const IdentityRequest = z.object({
  domain: anything.meta({ type: 'string', maxLength: 253, description: 'Its subdomains are included' }),
});

export const SuppressionRequest = z.object({
  recipient: anything.meta({ type: 'string', description: 'One address' }),
  reason: anything.meta({ type: 'string', enum: ['bounce', 'complaint'] }),
});

export const IdentityResponse = z.object({
  id: z.string(),
  workspaceId: z.string(),
  domain: z.string(),
  createdAt: time,
});

const State = z.enum(['queued', 'delivered', 'captured', 'bounced', 'complained', 'failed']);

export const SendStateResponse = z.object({
  id: z.string(),
  workspaceId: z.string(),
  mailboxId: z.string(),
  messageId: z.string(),
  from: z.string(),
  state: State,
  recipients: z.array(
    z.object({
      address: z.string(),
      state: State,
      attempts: z.int(),
      nextAttemptAt: time.nullable(),
      lastReply: z.string().nullable(),
    }),
  ),
  createdAt: time,
  updatedAt: time,
});
