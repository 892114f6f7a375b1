import { refuse } from './errors.ts';
import type { GroupId, MailboxId, WorkspaceId } from './ids.ts';
import type { Plan } from './plan.ts';
import { parseName } from './workspace.ts';

/** A catchall: it owns a subdomain of the mail domain and takes mail to any address on it. */
export interface Mailbox {
  readonly id: MailboxId;
  readonly workspaceId: WorkspaceId;
  readonly groupId: GroupId | null;
  readonly name: string;
  readonly subdomain: string;
  readonly retentionDays: number;
  readonly outboundEnabled: boolean;
  /** Addresses and `*.domain` patterns a send may go to. */
  readonly allowlist: readonly string[];
  /** The inbox mailbox: it also takes mail addressed to nobody's mailbox. */
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

/** One DNS label in lower case. Throws `invalid_subdomain`. */
export function parseSubdomain(value: unknown): string {
  const subdomain = typeof value === 'string' ? value.toLowerCase() : '';
  if (!LABEL.test(subdomain)) throw refuse('invalid_subdomain');
  return subdomain;
}

/** Apart from the parse: a body that is wrong elsewhere is 400 before a reserved name is 409. */
export function isReserved(subdomain: string): boolean {
  return RESERVED.has(subdomain);
}

/** The subdomain a name stands for, '' when nothing of it can be in a DNS label. */
export function deriveSubdomain(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '');
}

/** Name and subdomain of a new mailbox: either may be missing, not both. */
export function nameAndSubdomain(name: unknown, subdomain: unknown): { name: string; subdomain: string } {
  const given = name ?? null;
  const parsedName = given === null ? null : parseName(given);
  if (given !== null && parsedName === null) throw refuse('invalid_name');
  if (subdomain !== undefined && subdomain !== null) {
    const parsed = parseSubdomain(subdomain);
    return { name: parsedName ?? parsed, subdomain: parsed };
  }
  if (parsedName === null) throw refuse('invalid_name');
  const derived = deriveSubdomain(parsedName);
  if (derived === '') throw refuse('invalid_name');
  return { name: parsedName, subdomain: parseSubdomain(derived) };
}

/** Whole days within the plan; the plan's default when not given. Throws `invalid_retention` with `max`. */
export function parseRetention(value: unknown, plan: Plan): number {
  if (value === undefined || value === null) return plan.retentionDefaultDays;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > plan.retentionMaxDays) {
    throw refuse('invalid_retention', { max: plan.retentionMaxDays });
  }
  return value;
}
