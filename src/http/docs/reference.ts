import { escaped } from '../../text/html.ts';
import { quotedInShell } from '../../text/in-shell.ts';
import { isObject } from '../../text/unknown.ts';
import type { JsonSchema } from '../openapi/components.ts';
import type { AnsweredStatus, Document, MediaType, OpenApiContent, Operation, Parameter } from '../openapi/document.ts';
import { sampleOf } from '../openapi/samples.ts';
import { REFERENCE_SCRIPT } from './reference-script.ts';
import { REFERENCE_STYLE } from './reference-style.ts';

/** The parts of the seeded state that the page may show. */
interface SeededFacts {
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly mailboxId: string;
}

/** Returns both OpenAPI documents as one page that loads nothing. */
export function referencePage(cloud: Document, local: Document, seeded: SeededFacts | null): string {
  const base = cloud.servers[0]?.url ?? '';
  const schemas = { ...local.components.schemas, ...cloud.components.schemas };
  const resources = Object.entries(schemas).filter(([name]) => !name.endsWith('Error'));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mailcap: the API</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body data-base="${escaped(base)}">
<header>
<a class="brand" href="/docs">mailcap <small>docs</small></a>
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
<script>${REFERENCE_SCRIPT}</script>
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

/** The default values of path parameters on the page, by their names. */
type PathDefaults = Readonly<Record<string, string>>;

/** Returns an operation as a section of the page, with a form to try it. */
function operationSection(
  document: Document,
  method: string,
  path: string,
  operation: Operation,
  known: PathDefaults,
): string {
  const { operationId, summary, description, responses } = operation;
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return `<section class="operation" id="${escaped(operationId)}">
<details>
<summary><span class="route"><span class="method ${escaped(method)}">${escaped(method.toUpperCase())}</span> ${code(path)}</span> <span class="what">${escaped(summary)}</span></summary>
${description === undefined ? '' : `<p>${escaped(description)}</p>`}
${tryForm(document, method, path, operation, known)}
${table('Answers', answers.map(answerRow))}
${answers.map(([, { content }]) => exampleOf(content)).join('')}
<details class="errors"><summary>Errors</summary>
${table(
  null,
  refusals.flatMap((refusal) => refusalRows(document, refusal)),
)}
</details>
</details>
</section>`;
}

function tryForm(document: Document, method: string, path: string, operation: Operation, known: PathDefaults): string {
  const { parameters, requestBody } = operation;
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const fields = parameters.map((parameter) => field(parameter, known));
  if (type !== undefined && media !== undefined) fields.push(bodyField(document, type, media));
  const isSocket = operation.responses['101'] !== undefined;
  return `<form class="try" data-method="${escaped(method.toUpperCase())}" data-path="${escaped(path)}"${type === undefined ? '' : ` data-type="${escaped(type)}"`}${isSocket ? ' data-socket' : ''}>
${fields.join('\n')}
<div class="request"><pre tabindex="0" class="curl">${escaped(curl(document, method, path, type, media))}</pre>
<div class="actions"><button type="submit" class="send" hidden>Try it</button> <button type="button" class="copy" hidden>Copy</button></div></div>
<div class="response" hidden role="status"></div>
</form>`;
}

function field({ name, in: place, description, schema, required }: Parameter, known: PathDefaults): string {
  const note = [escaped(description), rangeOf(schema)].filter((said) => said !== '').join('; ');
  const value = place === 'path' ? known[name] : undefined;
  // Every typed value is text, so `string` says nothing.
  const type = typeOf(schema) === 'string' ? '' : `${typeOf(schema)}. `;
  return `<label class="field"><span class="name"><code>${escaped(name)}</code> <small>${escaped(place)}${required ? '' : ', optional'}</small></span>
<input data-in="${escaped(place)}" name="${escaped(name)}" autocomplete="off" spellcheck="false"${value === undefined ? '' : ` value="${escaped(value)}"`}>
<span class="note">${type}${note}</span></label>`;
}

function bodyField(document: Document, type: string, media: MediaType): string {
  const text = exampleBody(document, media);
  const rows = Math.min(12, Math.max(2, text.split('\n').length));
  return `<label class="field"><span class="name"><code>body</code> <small>${escaped(type)}</small></span>
<textarea data-in="body" name="body" rows="${rows}" spellcheck="false">${escaped(text)}</textarea>
<span class="note">${typeOf(media.schema)}</span></label>`;
}

function exampleBody({ components }: Document, { schema, example }: MediaType): string {
  const value = example ?? sampleOf(schema, components.schemas);
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : JSON.stringify(value, null, 2);
}

function table(heading: string | null, rows: readonly string[]): string {
  const title = heading === null ? '' : `<h4>${heading}</h4>\n`;
  return `${title}<div class="wide"><table>\n${rows.join('\n')}\n</table></div>`;
}

function answerRow([status, { description, content }]: [string, AnsweredStatus]): string {
  const types = Object.entries(content ?? {}).map(([type, { schema }]) =>
    type === 'application/json' ? typeOf(schema) : escaped(type),
  );
  return row(escaped(status), types[0] ?? 'no body', escaped(description));
}

function exampleOf(content: OpenApiContent | undefined): string {
  const example = content?.['application/json']?.example;
  if (example === undefined) return '';
  const text = escaped(JSON.stringify(example, null, 2));
  return `<details class="example"><summary>Example</summary>\n<pre tabindex="0">${text}</pre>\n</details>`;
}

function refusalRows({ components }: Document, [status, answered]: [string, AnsweredStatus]): string[] {
  return Object.keys(answered.content?.['application/json']?.examples ?? {}).map((error) => {
    const { summary = error, value = { error } } = components.examples[error] ?? {};
    const mark = answered['x-local']?.includes(error)
      ? ' <span class="local" title="Not in the API document">local</span>'
      : '';
    return row(escaped(status), code(value), escaped(summary) + mark);
  });
}

/**
 * Returns the curl command of an operation. Its placeholders are shell variables, so that the shell reports a missing
 * one.
 */
function curl(document: Document, method: string, path: string, type?: string, media?: MediaType): string {
  const url = `${document.servers[0]?.url ?? ''}${path.replace(/\{(\w+)\}/g, '$$$1')}`;
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const lines = [`curl -s${verb} "${url}"`];
  if (document.components.securitySchemes['key']) lines.push(`  -H "Authorization: Bearer $MAILCAP_API_KEY"`);
  if (type !== undefined && media !== undefined) {
    lines.push(`  -H 'Content-Type: ${type}'`, `  --data-binary ${quotedInShell(exampleBody(document, media))}`);
  }
  return lines.join(' \\\n');
}

/** Describes the type of a schema in a few words. A named schema becomes a link. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, items, anyOf, enum: choices, format, additionalProperties } = schema;
  if (typeof $ref === 'string') return linkTo($ref);
  if (Array.isArray(anyOf)) return alternatives(anyOf.filter(isObject).map(typeOf));
  if (Array.isArray(type)) return alternatives(type.map((one) => typeOf({ ...schema, type: one })));
  if (type === 'array' && isObject(items)) return `array of ${typeOf(items)}`;
  if (type === 'object' && isObject(additionalProperties)) return `object of ${typeOf(additionalProperties)}`;
  const values = Array.isArray(choices) ? ` ${choices.map((choice) => code(choice)).join(' ')}` : '';
  return escaped(typeof format === 'string' ? format : String(type ?? 'any')) + values;
}

/** Describes the constraints and the default of a parameter or field. */
function rangeOf({ minimum, maximum, maxLength, default: fallback }: JsonSchema): string {
  const said = [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    minimum !== undefined && maximum === undefined ? `from ${minimum}` : '',
    maxLength !== undefined ? `at most ${maxLength} characters` : '',
    fallback !== undefined ? `default ${JSON.stringify(fallback)}` : '',
  ];
  return escaped(said.filter((part) => part !== '').join(', '));
}

/** Returns the fields of an object as table rows. */
function fieldRows({ properties }: JsonSchema): string {
  if (!isObject(properties)) return '';
  return Object.entries(properties)
    .map(([name, field]) => (isObject(field) ? row(code(name), typeOf(field), noteOf(field)) : ''))
    .join('\n');
}

export function row(...cells: readonly string[]): string {
  const [head = '', ...rest] = cells;
  return `<tr><th scope="row">${head}</th>${rest.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

export function code(value: unknown): string {
  return `<code>${escaped(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
}

function schemaId(name: string): string {
  return `schema-${name}`;
}

function noteOf(schema: JsonSchema): string {
  const { description } = schema;
  return [typeof description === 'string' ? escaped(description) : '', rangeOf(schema)].filter(Boolean).join('; ');
}

function alternatives(types: readonly string[]): string {
  return types.join(' or ');
}

function linkTo(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return `<a href="#${escaped(schemaId(name))}">${escaped(name)}</a>`;
}
