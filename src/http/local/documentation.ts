import { z } from 'zod';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { Page } from '../answer.ts';
import { docsPage } from '../docs/page.ts';
import { SCRIPT_HASH } from '../docs/script.ts';
import type { Document } from '../openapi/shape.ts';
import { type Anyone, type Endpoint, localRoute, pageRoute } from '../route.ts';

/** Creates the route that serves the OpenAPI document of the local API. */
export function localDescription(make: () => Document): Endpoint<Anyone> {
  const document = placed(make);
  return localRoute('GET', '/_mailcap/openapi.json', {
    id: 'getLocalOpenApi',
    summary: 'Get this description',
    returns: { 200: z.record(z.string(), z.unknown()) },
    fails: ['starting'],
    handle: async ({ ctx }) => ({ ...document(ctx) }),
  });
}

/** Creates the routes that serve the OpenAPI document of the cloud API, and both documents as a page. */
export function pages(cloud: () => Document, local: () => Document): readonly Endpoint<Anyone>[] {
  const cloudDocument = placed(cloud);
  const localDocument = placed(local);
  return [
    pageRoute('/openapi.json', {
      returns: { 200: z.unknown() },
      fails: ['starting'],
      handle: async ({ ctx }) => cloudDocument(ctx),
    }),
    pageRoute('/docs', {
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
