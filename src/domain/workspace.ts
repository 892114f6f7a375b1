import { refuse } from './errors.ts';
import type { WorkspaceId } from './ids.ts';

/**
 * The enforcement of limits. `off` lifts rate limits and daily caps, but counters still count
 * (docs/contract.md#rate-limits).
 */
export type Limits = 'cloud' | 'off';

/** A tenant. */
export interface Workspace {
  readonly id: WorkspaceId;
  readonly name: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  /** The balance in 1/1000 of a cent. An email costs 50 of them. */
  readonly walletMillicents: number;
  /** Tells whether the seed created it. `reset` keeps it, and it cannot be deleted. */
  readonly seeded: boolean;
  readonly createdAt: number;
  /**
   * How far the workspace's own clock is from real time, in milliseconds. Absent if it follows the clock of the server
   * (docs/clock.md).
   */
  readonly clockOffsetMs?: number;
  /** `verified`: mail by the API of a provider has to come from an identity. Absent: every sender may send. */
  readonly senders?: Senders;
}

/** The senders that the API of a provider takes: all, or those of verified domains. */
export type Senders = 'any' | 'verified';

const MAX_NAME = 100;

/**
 * Parses a name: 1 to 100 characters after trimming, without control characters. Workspaces, groups and mailboxes use
 * it. Returns null if it is invalid.
 */
export function parseName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const name = value.trim();
  // The limit counts characters, not UTF-16 units. This check comes first, so that a huge name is not split into
  // characters.
  if (name.length > 2 * MAX_NAME) return null;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return name.length >= 1 && [...name].length <= MAX_NAME && !/[\u0000-\u001f\u007f-\u009f]/.test(name) ? name : null;
}

/** Parses a name. Throws `invalid_name`. */
export function requireName(value: unknown): string {
  const name = parseName(value);
  if (name === null) throw refuse('invalid_name');
  return name;
}

/** Parses the value of a change, which is `was` if none is given. */
export function orWas<T>(value: unknown, parse: (value: unknown) => T, was: T): T {
  return value === undefined || value === null ? was : parse(value);
}

/** The changes of a request, not yet checked. Null counts as omitted. */
export type WorkspaceChanges = {
  readonly [Name in 'name' | 'plan' | 'limits' | 'walletCents' | 'senders']?: unknown;
};

/**
 * Parses the changes to a workspace. Throws `invalid_name`, `invalid_plan`, `invalid_limits`,
 * `invalid_wallet_cents` and `invalid_senders`.
 */
export function parseWorkspaceChanges(
  given: WorkspaceChanges,
): Partial<Pick<Workspace, 'name' | 'plan' | 'limits' | 'walletMillicents' | 'senders'>> {
  const name = orWas(given.name, requireName, undefined);
  const plan = given.plan ?? undefined;
  if (plan !== undefined && !isPlanName(plan)) throw refuse('invalid_plan');
  const limits = given.limits ?? undefined;
  if (limits !== undefined && limits !== 'cloud' && limits !== 'off') throw refuse('invalid_limits');
  const senders = given.senders ?? undefined;
  if (senders !== undefined && senders !== 'any' && senders !== 'verified') throw refuse('invalid_senders');
  const walletMillicents = orWas(given.walletCents, parseWallet, undefined);
  return {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(limits !== undefined && { limits }),
    ...(walletMillicents !== undefined && { walletMillicents }),
    ...(senders !== undefined && { senders }),
  };
}

function parseWallet(cents: unknown): number {
  if (typeof cents !== 'number' || !Number.isInteger(cents) || cents < 0 || !Number.isSafeInteger(cents * 1_000)) {
    throw refuse('invalid_wallet_cents');
  }
  return cents * 1_000;
}

// The plans (docs/contract.md#plans). Every number is a config key.

export type PlanName = 'free' | 'business';

export interface Plan {
  readonly outbound: boolean;
  readonly mailboxes: number;
  readonly retentionDefaultDays: number;
  readonly retentionMaxDays: number;
  readonly inboundPerMailboxPerDay: number;
  readonly outboundPerDay: number;
  readonly storageBytes: number;
  readonly activeKeys: number;
  readonly webhooks: number;
  readonly walletStartCents: number;
}

export type Plans = Readonly<Record<PlanName, Plan>>;

const MiB = 1024 * 1024;

export const PLANS: Plans = {
  free: {
    outbound: false,
    mailboxes: 5,
    retentionDefaultDays: 3,
    retentionMaxDays: 7,
    inboundPerMailboxPerDay: 100,
    outboundPerDay: 0,
    storageBytes: 100 * MiB,
    activeKeys: 5,
    webhooks: 1,
    walletStartCents: 0,
  },
  business: {
    outbound: true,
    mailboxes: 1_000,
    retentionDefaultDays: 30,
    retentionMaxDays: 90,
    inboundPerMailboxPerDay: 10_000,
    outboundPerDay: 1_000,
    storageBytes: 10 * 1024 * MiB,
    activeKeys: 100,
    webhooks: 50,
    walletStartCents: 1_000,
  },
};

export function isPlanName(value: unknown): value is PlanName {
  return value === 'free' || value === 'business';
}
