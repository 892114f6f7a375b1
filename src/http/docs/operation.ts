import { escaped } from '../html.ts';
import type { Answered, Content, Document, Operation, Parameter } from '../openapi/shape.ts';
import { code, rangeOf, row, typeOf } from './schema.ts';

/** An operation as a section of the page. */
export function operationSection(document: Document, method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return `<section class="operation" id="${escaped(operationId)}">
<h3>${escaped(summary)}</h3>
<p class="route"><span class="method ${escaped(method)}">${escaped(method.toUpperCase())}</span> ${code(path)}</p>
${description === undefined ? '' : `<p>${escaped(description)}</p>`}
${parameters.length === 0 ? '' : table('Parameters', parameters.map(parameterRow))}
${requestBody === undefined ? '' : `<h4>Body</h4>\n<p>${typeOf(schemaOf(requestBody.content))}</p>`}
${table('Answers', answers.map(answerRow))}
<details><summary>Errors</summary>
${table(null, refusals.flatMap(refusalRows))}
</details>
<h4>Example</h4>
<pre tabindex="0">${escaped(curl(document, method, path, operation))}</pre>
</section>`;
}

function table(heading: string | null, rows: readonly string[]): string {
  const title = heading === null ? '' : `<h4>${heading}</h4>\n`;
  return `${title}<div class="wide"><table>\n${rows.join('\n')}\n</table></div>`;
}

function parameterRow({ name, in: place, description, schema }: Parameter): string {
  const range = rangeOf(schema);
  const note = [escaped(description), range].filter((said) => said !== '').join('; ');
  return row(code(name), escaped(place), typeOf(schema), note);
}

function answerRow([status, { description, content }]: [string, Answered]): string {
  return row(escaped(status), content === undefined ? 'no body' : typeOf(schemaOf(content)), escaped(description));
}

function refusalRows([status, { content }]: [string, Answered]): string[] {
  const examples = Object.values(content?.['application/json'].examples ?? {});
  return examples.map(({ summary, value }) => row(escaped(status), code(value), escaped(summary)));
}

function schemaOf(content: Content) {
  return content['application/json'].schema;
}

/** Placeholders are the shell's variables, so that what is pasted asks for what it lacks. */
function curl({ servers }: Document, method: string, path: string, { requestBody }: Operation): string {
  const url = `${servers[0]?.url ?? ''}${path.replace(/\{(\w+)\}/g, '$$$1')}`;
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const lines = [`curl -s${verb} "${url}"`, `  -H "Authorization: Bearer $MAILCAP_API_KEY"`];
  if (requestBody !== undefined) {
    const { example = {} } = requestBody.content['application/json'];
    lines.push(`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(example)}'`);
  }
  return lines.join(' \\\n');
}
