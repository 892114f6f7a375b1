import { z } from 'zod';
import type { Context } from '../../context.ts';
import { type Documentation, documentation } from '../../documentation.ts';
import { refuse, there } from '../../domain/errors.ts';
import { type Exchange, Page } from '../exchange.ts';
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

/** Creates the routes that serve the OpenAPI document of the cloud API, both documents as a page, and the documentation. */
export function pages(
  cloud: readonly RouteGroup<ApiCaller>[],
  local: readonly RouteGroup<Anyone>[],
): readonly Endpoint<Anyone>[] {
  return [
    pageRoute('/openapi.json', async ({ ctx }) => cloudDocument(ctx, cloud)),
    pageRoute('/docs', async ({ ctx }) => {
      const { ready, version } = ctx.runtime;
      if (ready === null) throw refuse('starting');
      return guide(({ contentsPage }) => contentsPage(requireDocs(), version, ready));
    }),
    pageRoute('/docs/reference', async ({ ctx }) => {
      const { ready, adminToken } = ctx.runtime;
      // If the server does not listen on loopback only, a reader of the page may not know the key.
      const seeded = adminToken === null ? ready : null;
      const { referencePage } = await import('../docs/reference.ts');
      const { REFERENCE_SCRIPT_HASH: scriptHash } = await import('../docs/reference-script.ts');
      const both = await Promise.all([cloudDocument(ctx, cloud), localDocument(ctx, local)]);
      return new Page(referencePage(...both, seeded), { scriptHash });
    }),
    pageRoute('/docs/find', async ({ exchange }) =>
      guide(({ foundPage }) => foundPage(requireDocs(), wordsIn(exchange))),
    ),
    pageRoute('/docs/find.json', async ({ exchange }) =>
      (await import('../docs/guide.ts')).foundSections(requireDocs(), wordsIn(exchange)),
    ),
    pageRoute('/docs/:page', async ({ exchange }) => {
      const docs = requireDocs();
      const name = exchange.params['page']?.replace(/\.md$/, '');
      const page = docs.pages.find((one) => one.name === name);
      if (page === undefined) throw refuse('not_found');
      return guide(({ guidePage }) => guidePage(docs, page));
    }),
  ];
}

/** The longest query of a search, in characters. */
const MOST_QUERY = 200;

function wordsIn({ query }: Exchange): string {
  return (new URLSearchParams(query).get('q') ?? '').slice(0, MOST_QUERY);
}

/** Returns the documentation of this version. Throws `not_found` in a checkout without a build. */
function requireDocs(): Documentation {
  return there(documentation());
}

async function guide(write: (pages: typeof import('../docs/guide.ts')) => string): Promise<Page> {
  const { GUIDE_SCRIPT_HASH: scriptHash } = await import('../docs/guide-script.ts');
  return new Page(write(await import('../docs/guide.ts')), { scriptHash, hasForm: true });
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
  let built = documents.get(operations);
  if (built === undefined) {
    built = build();
    documents.set(operations, built);
    built.catch(() => documents.delete(operations));
  }
  return { ...(await built), servers: [{ url: ready.url }] };
}
