import { z } from 'zod';

/** The longest wait in seconds. Most agents give up a call after 60. */
export const MAX_SECONDS = 55;
export const DEFAULT_SECONDS = 30;

/** The input fields that several tools have. Every agent pays for their words in tokens, so they are short. */
export const MAILBOX = z.string().optional().describe('id, subdomain or address; else the inbox');
export const MESSAGE_ID = z.string();
export const TIMEOUT = z.number().min(1).max(MAX_SECONDS).default(DEFAULT_SECONDS).describe('seconds');
export const FILTER = {
  subject: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
} as const;
