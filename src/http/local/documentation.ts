import { z } from 'zod';
import { refuse } from '../../domain/errors.ts';
import { Page } from '../answer.ts';
import { docsPage } from '../docs/page.ts';
import { describe } from '../openapi/document.ts';
import type { Document } from '../openapi/shape.ts';
import { type Anyone, type Caller, type Endpoint, localRoute } from '../route.ts';

/** The cloud API described, for tools and for people, from the routes themselves. */
export function documentation(routes: readonly Endpoint<Caller>[]): readonly Endpoint<Anyone>[] {
  let built: Document | null = null;
  const documentAt = (url: string | undefined): Document => {
    if (url === undefined) throw refuse('starting');
    built ??= describe(routes);
    return { ...built, servers: [{ url }] };
  };
  return [
    localRoute('GET', '/openapi.json', {
      returns: { 200: z.unknown() },
      fails: ['starting'],
      handle: async ({ ctx }) => documentAt(ctx.runtime.ready?.url),
    }),
    localRoute('GET', '/docs', {
      returns: { 200: 'page' },
      fails: ['starting'],
      handle: async ({ ctx }) => new Page(docsPage(documentAt(ctx.runtime.ready?.url))),
    }),
  ];
}
