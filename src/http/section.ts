import type { Endpoint } from './route.ts';

/** The operations of an API under one heading. */
export interface Section<Who> {
  readonly name: string;
  readonly description: string;
  readonly routes: readonly Endpoint<Who>[];
}

/** Returns the routes of all sections, in their order. */
export function routesOf<Who>(sections: readonly Section<Who>[]): Endpoint<Who>[] {
  return sections.flatMap(({ routes }) => routes);
}
