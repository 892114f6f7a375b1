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

/** Serves the description of both APIs, built from the routes, as OpenAPI documents and as a page. */
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
        // If the server does not listen on loopback only, a reader of the page may not know the key.
        const seeded = adminToken === null ? ready : null;
        return new Page(docsPage(cloudDocument(ctx), localDocument(ctx), seeded), { scriptHash: SCRIPT_HASH });
      },
    }),
  ];
}

/** Builds a document once, and adds the URL of this server to it. */
function placed(make: () => Document): (ctx: Context) => Document {
  let built: Document | null = null;
  return ({ runtime: { ready } }) => {
    if (ready === null) throw refuse('starting');
    built ??= make();
    return { ...built, servers: [{ url: ready.url }] };
  };
}
