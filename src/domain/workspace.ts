import type { WorkspaceId } from './ids.ts';
import type { PlanName } from './plan.ts';

/** `off` lifts rate limits and daily caps; counters still count (contract 3). */
export type Limits = 'cloud' | 'off';

/** The tenant. */
export interface Workspace {
  readonly id: WorkspaceId;
  readonly name: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  /** 1/1000 of a cent, so that a mail at 50 of them is exact. */
  readonly walletMillicents: number;
  /** Made by the seed: `reset` keeps it, nothing deletes it. */
  readonly seeded: boolean;
  readonly createdAt: number;
}

/** Workspace and group names follow the mailbox rule: 1 to 100 characters after trimming, no control characters. */
export function parseName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const name = value.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return name.length >= 1 && [...name].length <= 100 && !/[\u0000-\u001f\u007f-\u009f]/.test(name) ? name : null;
}
