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
  readonly interceptors: number;
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
    interceptors: 1,
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
    interceptors: 50,
    walletStartCents: 1_000,
  },
};

export function isPlanName(value: unknown): value is PlanName {
  return value === 'free' || value === 'business';
}
