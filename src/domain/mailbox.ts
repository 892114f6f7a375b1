import { refuse } from './errors.ts';
import type { GroupId, MailboxId, WorkspaceId } from './ids.ts';
import { orWas, type Plan, requireName } from './workspace.ts';

/** A catch-all mailbox. It owns a subdomain of the mail domain and takes mail to any address on it. */
export interface Mailbox {
  readonly id: MailboxId;
  readonly workspaceId: WorkspaceId;
  readonly groupId: GroupId | null;
  readonly name: string;
  readonly subdomain: string;
  readonly retentionDays: number;
  readonly outboundEnabled: boolean;
  /** The addresses, `*@domain` and `*.domain` patterns to which the mailbox may send. */
  readonly allowlist: readonly string[];
  /** Tells whether it is the inbox mailbox, which also takes mail that no other mailbox takes. */
  readonly seeded: boolean;
  readonly createdAt: number;
}

export const INBOX_SUBDOMAIN = 'inbox';

const RESERVED = new Set(
  (
    'www mail smtp imap pop pop3 mx ns ns1 ns2 ftp api app admin root postmaster abuse support help status hooks ' +
    'webhooks simulator autoconfig autodiscover localhost bounce bounces'
  ).split(' '),
);

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Parses a subdomain: one DNS label, converted to lower case. Throws `invalid_subdomain`. */
export function parseSubdomain(value: unknown): string {
  const subdomain = typeof value === 'string' ? value.toLowerCase() : '';
  if (!LABEL.test(subdomain)) throw refuse('invalid_subdomain');
  return subdomain;
}

/**
 * Tells whether a subdomain is reserved. The parse does not check it, because an invalid body (400) takes precedence
 * over a reserved name (409).
 */
export function isReserved(subdomain: string): boolean {
  return RESERVED.has(subdomain);
}

/** Derives a subdomain from a name. Returns '' if no character of the name fits into a DNS label. */
export function deriveSubdomain(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 63)
    .replace(/(?<!-)-+$/, '');
}

/**
 * Determines name and subdomain of a new mailbox. One of them may be missing. Throws `invalid_name` or
 * `invalid_subdomain`.
 */
export function nameAndSubdomain(name: unknown, subdomain: unknown): { name: string; subdomain: string } {
  const parsedName = orWas(name, requireName, null);
  if (subdomain !== undefined && subdomain !== null) {
    const parsed = parseSubdomain(subdomain);
    return { name: parsedName ?? parsed, subdomain: parsed };
  }
  if (parsedName === null) throw refuse('invalid_name');
  const derived = deriveSubdomain(parsedName);
  if (derived === '') throw refuse('invalid_name');
  return { name: parsedName, subdomain: parseSubdomain(derived) };
}

/**
 * Parses a retention in whole days within the plan. The default is the plan's. Throws `invalid_retention` with `max`.
 */
export function parseRetention(value: unknown, plan: Plan): number {
  if (value === undefined || value === null) return plan.retentionDefaultDays;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > plan.retentionMaxDays) {
    throw refuse('invalid_retention', { max: plan.retentionMaxDays });
  }
  return value;
}

/** A label that sorts mailboxes. Users create it in the dashboard. */
export interface MailboxGroup {
  readonly id: GroupId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly createdAt: number;
}
