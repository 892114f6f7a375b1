import { quotedInShell } from '../../text/in-shell.ts';
import { escaped } from '../html.ts';
import { sampleOf } from '../openapi/samples.ts';
import type { AnsweredStatus, Document, MediaType, OpenApiContent, Operation, Parameter } from '../openapi/shape.ts';
import { code, rangeOf, row, typeOf } from './schema.ts';

/** The default values of path parameters on the page, by their names. */
export type PathDefaults = Readonly<Record<string, string>>;

/** Returns an operation as a section of the page, with a form to try it. */
export function operationSection(
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
