import { comparableAddress } from '../domain/address.ts';
import type { DoorCall } from './door.ts';

/** Returns the addresses that are on the suppression list of the workspace. */
export async function suppressedAmong({ ctx, workspaceId }: DoorCall, addresses: readonly string[]): Promise<string[]> {
  const { suppression } = await ctx.store.readNow();
  const found: string[] = [];
  for (const address of new Set(addresses))
    if ((await suppression.byRecipient(workspaceId, comparableAddress(address))) !== null) found.push(address);
  return found;
}
