import { escaped } from '../html.ts';
import type { Document, Operation } from '../openapi/shape.ts';
import { operationSection, type PathDefaults } from './operation.ts';
import { code, fieldRows, schemaId } from './schema.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** The parts of the seeded state that the page may show. */
export interface SeededFacts {
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly mailboxId: string;
}

/** Returns both OpenAPI documents as one page that loads nothing. */
export function docsPage(cloud: Document, local: Document, seeded: SeededFacts | null): string {
  const base = cloud.servers[0]?.url ?? '';
  const schemas = { ...local.components.schemas, ...cloud.components.schemas };
  const resources = Object.entries(schemas).filter(([name]) => !name.endsWith('Error'));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mailcap: the API</title>
<style>${STYLE}</style>
</head>
<body data-base="${escaped(base)}">
<header>
<a class="brand" href="#top">mailcap</a>
<label class="key">API key <input id="key" type="password" autocomplete="off" spellcheck="false" value="${escaped(seeded?.apiKey ?? '')}" placeholder="svc_live_…"></label>
${seeded === null ? '<label class="key">Admin token <input id="token" type="password" autocomplete="off" spellcheck="false"></label>' : ''}
</header>
<nav aria-label="Operations">
<details open>
<summary>Operations</summary>
<input id="filter" type="search" placeholder="Filter" aria-label="Filter the operations" hidden>
${navigation(cloud, 'Cloud API')}
${navigation(local, 'Local API')}
<h2><a href="#schemas">Schemas</a></h2>
</details>
</nav>
<main id="top">
<h1>${escaped(cloud.info.title)} API <small>${escaped(cloud.info.version)}</small></h1>
<p>Test mailboxes: receive mail, read it, wait for it. JSON over HTTP, at ${code(base)}.</p>
<p>Every request carries <code>Authorization: Bearer &lt;API key&gt;</code>. Where an operation takes an <code>Idempotency-Key</code>,
a request that is sent again is answered again, and not run again. For tools: <a href="/openapi.json">/openapi.json</a>
and <a href="/_mailcap/openapi.json">/_mailcap/openapi.json</a>.</p>
<p>Codes marked <span class="local">local</span> are additions of this server: the API document does not name them, and the cloud may answer
otherwise. So is ${code('405 method_not_allowed')}, which any known path answers to a method it does not have.</p>
${part(cloud, knownOf(seeded, 'cloud'))}
<h1 id="local">Local API</h1>
<p>${escaped(local.info.description)}</p>
${part(local, knownOf(seeded, 'local'))}
<h1 id="schemas">Schemas</h1>
${resources
  .map(
    ([name, schema]) => `<section class="schema" id="${escaped(schemaId(name))}">
<details>
<summary><strong>${escaped(name)}</strong></summary>
<div class="wide"><table>
${fieldRows(schema)}
</table></div>
</details>
</section>`,
  )
  .join('\n')}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** Returns the known path parameters of a path. The meaning of `id` depends on the segment before it. */
function knownOf(seeded: SeededFacts | null, api: 'cloud' | 'local'): (path: string) => PathDefaults {
  if (seeded === null) return () => ({});
  const { workspaceId, mailboxId } = seeded;
  if (api === 'cloud') return () => ({ workspaceId, mailboxId });
  return (path) => {
    if (path.includes('/workspaces/{id}')) return { id: workspaceId };
    return path.includes('/mailboxes/{id}') ? { id: mailboxId } : {};
  };
}

function part(document: Document, knownAt: (path: string) => PathDefaults): string {
  return document.tags
    .map(({ name, description }) => {
      const operations = under(document, name).map(({ method, path, operation }) =>
        operationSection(document, method, path, operation, knownAt(path)),
      );
      return `<h2 id="${anchor(name)}">${escaped(name)}</h2>
<p>${escaped(description)}</p>
${operations.join('\n')}`;
    })
    .join('\n');
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

function anchor(heading: string): string {
  return escaped(heading.replaceAll(' ', '-'));
}

function navigation(document: Document, title: string): string {
  const groups = document.tags.map(({ name }) => {
    const items = under(document, name).map(
      ({ method, operation }) =>
        `<li><a href="#${escaped(operation.operationId)}"><span class="method ${escaped(method)}">${escaped(method === 'delete' ? 'DEL' : method.toUpperCase())}</span> ${escaped(operation.summary)}</a></li>`,
    );
    return `<h3><a href="#${anchor(name)}">${escaped(name)}</a></h3>\n<ul>\n${items.join('\n')}\n</ul>`;
  });
  return `<h2>${escaped(title)}</h2>\n${groups.join('\n')}`;
}
