import { z } from 'zod';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { Page } from '../exchange.ts';
import type { Document } from '../openapi/document.ts';
import { type Anyone, type ApiCaller, type Endpoint, localRoute, pageRoute, type RouteGroup } from '../route.ts';

// The modules that describe the APIs are loaded when somebody asks for a description, because most servers are never
// asked.

/** Creates the route that serves the OpenAPI document of the local API. */
export function localDescription(sections: () => readonly RouteGroup<Anyone>[]): Endpoint<Anyone> {
  return localRoute('GET', '/_mailcap/openapi.json', {
    id: 'getLocalOpenApi',
    summary: 'Get this description',
    returns: { 200: z.record(z.string(), z.unknown()) },
    fails: ['starting'],
    handle: async ({ ctx }) => ({ ...(await localDocument(ctx, sections())) }),
  });
}

/** Creates the routes that serve the OpenAPI document of the cloud API, and both documents as a page. */
export function pages(
  cloud: readonly RouteGroup<ApiCaller>[],
  local: readonly RouteGroup<Anyone>[],
): readonly Endpoint<Anyone>[] {
  return [
    pageRoute('/openapi.json', {
      returns: { 200: z.unknown() },
      fails: ['starting'],
      handle: async ({ ctx }) => cloudDocument(ctx, cloud),
    }),
    pageRoute('/docs', {
      returns: { 200: 'page' },
      fails: ['starting'],
      handle: async ({ ctx }) => {
        const { ready, adminToken } = ctx.runtime;
        // If the server does not listen on loopback only, a reader of the page may not know the key.
        const seeded = adminToken === null ? ready : null;
        const { docsPage } = await import('../docs/page.ts');
        const { SCRIPT_HASH: scriptHash } = await import('../docs/script.ts');
        const both = await Promise.all([cloudDocument(ctx, cloud), localDocument(ctx, local)]);
        return new Page(docsPage(...both, seeded), { scriptHash });
      },
    }),
  ];
}

function cloudDocument(ctx: Context, sections: readonly RouteGroup<ApiCaller>[]): Promise<Document> {
  return described(ctx, sections, async () => (await import('../openapi/document.ts')).describe(sections));
}

function localDocument(ctx: Context, sections: readonly RouteGroup<Anyone>[]): Promise<Document> {
  return described(ctx, sections, async () => (await import('../openapi/document.ts')).describeLocal(sections));
}

/** The documents that were built, by the operations that they describe. */
const documents = new WeakMap<object, Promise<Document>>();

/** Builds the document of some operations once, and adds the URL of this server to it. */
async function described(
  { runtime: { ready } }: Context,
  operations: object,
  build: () => Promise<Document>,
): Promise<Document> {
  if (ready === null) throw refuse('starting');
  const built = documents.get(operations) ?? build();
  documents.set(operations, built);
  return { ...(await built), servers: [{ url: ready.url }] };
}
