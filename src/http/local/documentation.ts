import { z } from 'zod';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { Page } from '../answer.ts';
import type { Document } from '../openapi/shape.ts';
import { type Anyone, type Caller, type Endpoint, localRoute, pageRoute } from '../route.ts';
import type { Section } from '../section.ts';

// The modules that describe the APIs are loaded when somebody asks for a description, because most servers are never
// asked.

/** Creates the route that serves the OpenAPI document of the local API. */
export function localDescription(sections: () => readonly Section<Anyone>[]): Endpoint<Anyone> {
  const document = described(async () => (await import('../openapi/document.ts')).describeLocal(sections()));
  return localRoute('GET', '/_mailcap/openapi.json', {
    id: 'getLocalOpenApi',
    summary: 'Get this description',
    returns: { 200: z.record(z.string(), z.unknown()) },
    fails: ['starting'],
    handle: async ({ ctx }) => ({ ...(await document(ctx)) }),
  });
}

/** Creates the routes that serve the OpenAPI document of the cloud API, and both documents as a page. */
export function pages(
  cloud: readonly Section<Caller>[],
  local: readonly Section<Anyone>[],
): readonly Endpoint<Anyone>[] {
  const cloudDocument = described(async () => (await import('../openapi/document.ts')).describe(cloud));
  const localDocument = described(async () => (await import('../openapi/document.ts')).describeLocal(local));
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
        const { docsPage } = await import('../docs/page.ts');
        const { SCRIPT_HASH: scriptHash } = await import('../docs/script.ts');
        return new Page(docsPage(await cloudDocument(ctx), await localDocument(ctx), seeded), { scriptHash });
      },
    }),
  ];
}

/** Builds a document once, and adds the URL of this server to it. */
function described(build: () => Promise<Document>): (ctx: Context) => Promise<Document> {
  let built: Promise<Document> | null = null;
  return async ({ runtime: { ready } }) => {
    if (ready === null) throw refuse('starting');
    built ??= build();
    return { ...(await built), servers: [{ url: ready.url }] };
  };
}
