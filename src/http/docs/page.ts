import { escaped } from '../html.ts';
import type { Document, Operation } from '../openapi/shape.ts';
import { operationSection } from './operation.ts';
import { code, fieldRows, schemaId } from './schema.ts';
import { STYLE } from './style.ts';

/** The OpenAPI document as one page that needs nothing but itself. */
export function docsPage(document: Document): string {
  const { info, tags, servers, components } = document;
  const headings = tags.map((tag) => ({ ...tag, operations: under(document, tag.name) }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mailcap: the cloud API</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Operations">
<p><a href="#top"><strong>${escaped(info.title)} API</strong></a></p>
${headings.map(({ name, operations }) => navigation(name, operations)).join('\n')}
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main id="top">
<h1>${escaped(info.title)} API <small>${escaped(info.version)}</small></h1>
<p>${escaped(info.description)} JSON over HTTP, at ${code(servers[0]?.url ?? '')}.</p>
<p>Every request carries <code>Authorization: Bearer &lt;API key&gt;</code>. Where an operation takes an <code>Idempotency-Key</code>,
a request that is sent again is answered again, and not run again. This page as data:
<a href="/openapi.json">/openapi.json</a>.</p>
${headings
  .map(
    ({ name, description, operations }) => `<h2 id="${escaped(name)}">${escaped(name)}</h2>
<p>${escaped(description)}</p>
${operations.map(({ method, path, operation }) => operationSection(document, method, path, operation)).join('\n')}`,
  )
  .join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas)
  .map(
    ([name, schema]) => `<section id="${escaped(schemaId(name))}">
<h3>${escaped(name)}</h3>
<div class="wide"><table>
${fieldRows(schema)}
</table></div>
</section>`,
  )
  .join('\n')}
</main>
</body>
</html>
`;
}

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function under({ paths }: Document, heading: string): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(heading))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function navigation(name: string, operations: readonly Placed[]): string {
  const items = operations.map(
    ({ operation }) => `<li><a href="#${escaped(operation.operationId)}">${escaped(operation.summary)}</a></li>`,
  );
  return `<h2><a href="#${escaped(name)}">${escaped(name)}</a></h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}
