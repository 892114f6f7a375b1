import { z } from 'zod';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { Page } from '../answer.ts';
import { docsPage } from '../docs/page.ts';
import { SCRIPT_HASH } from '../docs/script.ts';
import { describe, describeLocal } from '../openapi/document.ts';
import type { Document } from '../openapi/shape.ts';
import { type Anyone, type Caller, type Endpoint, localRoute } from '../route.ts';

const LOCAL_DOCUMENT = '/_mailcap/openapi.json';

/** Both APIs described, for tools and for people, from the routes themselves. */
export function documentation(
  cloud: readonly Endpoint<Caller>[],
  others: readonly Endpoint<Anyone>[],
): readonly Endpoint<Anyone>[] {
  const cloudDocument = placed(() => describe(cloud));
  const localDocument = placed(() => describeLocal([...others, own]));
  const own = localRoute('GET', LOCAL_DOCUMENT, {
    returns: { 200: z.record(z.string(), z.unknown()) },
    fails: ['starting'],
    handle: async ({ ctx }) => ({ ...localDocument(ctx) }),
  });
  return [
    own,
    localRoute('GET', '/openapi.json', {
      returns: { 200: z.unknown() },
      fails: ['starting'],
      handle: async ({ ctx }) => cloudDocument(ctx),
    }),
    localRoute('GET', '/docs', {
      returns: { 200: 'page' },
      fails: ['starting'],
      handle: async ({ ctx }) => {
        const { ready, adminToken } = ctx.runtime;
        // Elsewhere than on loopback whoever reads the page need not have the key.
        const seeded = adminToken === null ? ready : null;
        return new Page(docsPage(cloudDocument(ctx), localDocument(ctx), seeded), { scriptHash: SCRIPT_HASH });
      },
    }),
  ];
}

/** A document that is made once, and says where this server is. */
function placed(make: () => Document): (ctx: Context) => Document {
  let built: Document | null = null;
  return ({ runtime: { ready } }) => {
    if (ready === null) throw refuse('starting');
    built ??= make();
    return { ...built, servers: [{ url: ready.url }] };
  };
}
