import type { Context, Tagger } from '../context.ts';
import { tagsByRule } from '../domain/marks.ts';
import type { Message } from '../domain/message.ts';
import { QueryMatcher } from '../domain/search/match-query.ts';
import { type TagSettings, titleCase } from '../domain/tag-settings.ts';
import { markMessage } from './mark-messages.ts';
import { matchesMail } from './match-message.ts';
import { readTopFields } from './read-message.ts';

/** Returns the tagger with the rules of a configuration. */
export function createTagger(rules: TagSettings): Tagger {
  const tagsFor = (ctx: Context, message: Message, user: string | null) => tagsOf(ctx, rules, message, user);
  return {
    tagsOf: tagsFor,
    tag: async (ctx, messages, user) => {
      for (const message of messages) {
        try {
          const addTags = await tagsFor(ctx, message, user);
          if (addTags.length > 0) await ctx.store.transaction((tx) => markMessage(ctx, tx, message, { addTags }));
        } catch (error) {
          ctx.log.warn('a message could not be tagged by rules', { message: message.id, error });
        }
      }
    },
  };
}

async function tagsOf(ctx: Context, tagging: TagSettings, message: Message, user: string | null): Promise<string[]> {
  const { from, to, cc, rcptTo } = message;
  const xTags = tagging.xTags ? await xTagsOf(ctx, message) : null;
  const byRule = tagsByRule({ from, to, cc, rcptTo, xTags }, tagging);
  const tags = tagging.titleCase ? byRule.map(titleCase) : byRule;
  if (tagging.user && user !== null) tags.push(...tagsByRule({ ...NOTHING, xTags: user }, BY_NAME));
  for (const { query, tags: those } of tagging.searches) {
    const matcher = new QueryMatcher(query);
    if (matcher.matchesRow(message) ?? (await matchesMail(ctx, matcher, message))) tags.push(...those);
  }
  return tags;
}

const NOTHING = { from: null, to: null, cc: null, rcptTo: [] };
const BY_NAME = { xTags: true, plusAddresses: false };

async function xTagsOf(ctx: Context, message: Message): Promise<string | null> {
  const fields = await readTopFields(ctx, message);
  return fields.find(({ name }) => name.toLowerCase() === 'x-tags')?.value.toString() ?? null;
}
