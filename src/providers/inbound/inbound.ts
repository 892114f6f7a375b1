import type { Inbound } from '../../context.ts';
import { allRules } from './rules.ts';

// Most workspaces have no address of an app. The providers are loaded for the first mail in one that has.

/** The part of the context that hands mail to the app. */
export const inbound: Inbound = {
  takes: async (reader, workspaceId, recipient) => {
    const rules = await allRules(reader, workspaceId);
    return rules.length > 0 && (await import('./hand-over.ts')).rulesFor(rules, [recipient]).size > 0;
  },
  offer: async (ctx, tx, message, recipients) => {
    const rules = await allRules(tx, message.workspaceId);
    if (rules.length === 0) return [];
    const { queueInbound, rulesFor } = await import('./hand-over.ts');
    const taking = rulesFor(rules, recipients);
    for (const [rule, to] of taking) await queueInbound(ctx, tx, message, rule, to);
    return [...new Set([...taking.values()].flat())];
  },
};
