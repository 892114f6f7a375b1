import { createJiti } from 'jiti';

// A configuration is edited where the parser says, and every other character of it stays. jiti reads both JavaScript and
// TypeScript, and mailcap reads its own configuration with it.

/** A node of a syntax tree, with its place in the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Parses a file in JavaScript or TypeScript; null if it is neither. */
export function programOf(path: string, source: string): SyntaxNode | null {
  let program: unknown = null;
  const reader = () => ({
    pre: ({ ast }: { readonly ast: { readonly program: unknown } }) => {
      // The compiler changes the tree later.
      program = structuredClone(ast.program);
    },
  });
  try {
    const options = { source, filename: path, ts: /\.[cm]?ts$/.test(path), babel: { plugins: [reader] } };
    createJiti(import.meta.url, { fsCache: false }).transform(options);
  } catch {
    return null;
  }
  return asNode(program);
}

/**
 * Returns the object that a configuration exports: as a literal, through `defineConfig` and other calls, through a
 * constant, or as the result of a function. Returns null for anything else.
 */
export function exportedObject(program: SyntaxNode): SyntaxNode | null {
  for (const statement of nodesOf(program['body'])) {
    const assigned = asNode(statement['expression']);
    const exported =
      statement.type === 'ExportDefaultDeclaration'
        ? asNode(statement['declaration'])
        : statement.type === 'TSExportAssignment'
          ? assigned
          : assigned?.type === 'AssignmentExpression' && isModuleExports(asNode(assigned['left']))
            ? asNode(assigned['right'])
            : null;
    if (exported !== null) return objectIn(exported, program);
  }
  return null;
}

/** Tells whether a program is a CommonJS module: it assigns `module.exports`. */
export function isCommonJs(program: SyntaxNode): boolean {
  return nodesOf(program['body']).some((statement) =>
    isModuleExports(asNode(asNode(statement['expression'])?.['left'])),
  );
}

/** Returns the property of an object literal that has a name; null if there is none. */
export function propertyOf(object: SyntaxNode, name: string): SyntaxNode | null {
  const named = nodesOf(object['properties']).filter((property) => {
    const key = asNode(property['key']);
    return property['computed'] !== true && (key?.['name'] === name || key?.['value'] === name);
  });
  return named.at(-1) ?? null;
}

function isModuleExports(node: SyntaxNode | null): boolean {
  const [object, property] = [asNode(node?.['object']), asNode(node?.['property'])];
  return node?.type === 'MemberExpression' && object?.['name'] === 'module' && property?.['name'] === 'exports';
}

/** The most steps from an export to its object. A constant may name itself. */
const STEPS = 20;

function objectIn(node: SyntaxNode | null, program: SyntaxNode, steps = STEPS): SyntaxNode | null {
  if (node === null || steps === 0) return null;
  switch (node.type) {
    case 'ObjectExpression':
      return node;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'ParenthesizedExpression':
      return objectIn(asNode(node['expression']), program, steps - 1);
    case 'CallExpression':
      return objectIn(nodesOf(node['arguments']).at(-1) ?? null, program, steps - 1);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return objectIn(resultOf(asNode(node['body'])), program, steps - 1);
    case 'Identifier':
      return objectIn(constantNamed(String(node['name']), program), program, steps - 1);
    default:
      return null;
  }
}

/** Returns what a function returns, if it ends with its only `return`. */
function resultOf(body: SyntaxNode | null): SyntaxNode | null {
  if (body?.type !== 'BlockStatement') return body;
  const last = nodesOf(body['body']).at(-1);
  return last?.type === 'ReturnStatement' ? asNode(last['argument']) : null;
}

function constantNamed(name: string, program: SyntaxNode): SyntaxNode | null {
  const declared = nodesOf(program['body'])
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap((statement) => nodesOf(statement['declarations']))
    .filter((one) => asNode(one['id'])?.['name'] === name);
  return asNode(declared[0]?.['init']);
}

/** A text that is put into another one. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Puts texts into another one. Their places are those of the text before all changes. */
export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  let made = text;
  for (const { at, text: put } of insertions.toSorted((one, other) => other.at - one.at))
    made = `${made.slice(0, at)}${put}${made.slice(at)}`;
  return made;
}

/** Returns the line end of a text. */
export function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Returns the indent of the line in which a place is. */
export function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? '';
}

/** Returns one step of the indent of a text. */
export function indentStep(text: string): string {
  return /^(\t| {2,8})\S/m.exec(text)?.[1] ?? '  ';
}

/**
 * Puts lines at the beginning of an object literal or a block, which then has a line for each of its entries. The lines
 * have two spaces for each step of their indent, and get the indent of the file.
 */
export function linesAtStart(text: string, { start, end }: SyntaxNode, lines: readonly string[]): Insertion[] {
  const newline = newlineOf(text);
  const outer = indentAt(text, start);
  const step = indentStep(text);
  const inner = outer + step;
  const put = lines
    .map((line) => `${newline}${inner}${line.replace(/^(?: {2})+/, (spaces) => step.repeat(spaces.length / 2))}`)
    .join('');
  const inside = text.slice(start + 1, end - 1);
  if (/^[ \t]*(?:\/\/.*)?\r?\n/.test(inside)) return [{ at: start + 1, text: put }];
  if (inside.trim() === '') return [{ at: start + 1, text: `${put}${newline}${outer}` }];
  // An entry on the line of the bracket gets a line of its own.
  const first = start + 1 + (inside.length - inside.trimStart().length);
  const insertions = [{ at: first, text: `${put.trimStart() === '' ? '' : put}${newline}${inner}` }];
  return inside.includes('\n') ? insertions : [...insertions, { at: end - 1, text: `${newline}${outer}` }];
}

/** Puts an import below the last one, with the quotes and the semicolons of the file. */
export function importLine(text: string, program: SyntaxNode, name: string, from: string): Insertion {
  const statements = nodesOf(program['body']);
  const imports = statements.filter((one) => one.type === 'ImportDeclaration' || isRequire(one));
  const last = imports.at(-1);
  const sample = last === undefined ? '' : text.slice(last.start, last.end);
  const quote = sample.includes('"') ? '"' : "'";
  const end = sample === '' || sample.endsWith(';') ? ';' : '';
  const line = isCommonJs(program)
    ? `const { ${name} } = require(${quote}${from}${quote})${end}`
    : `import { ${name} } from ${quote}${from}${quote}${end}`;
  const newline = newlineOf(text);
  if (last !== undefined) return { at: last.end, text: `${newline}${line}` };
  return { at: statements[0]?.start ?? 0, text: `${line}${newline}${newline}` };
}

function isRequire(statement: SyntaxNode): boolean {
  if (statement.type !== 'VariableDeclaration') return false;
  const [first] = nodesOf(statement['declarations']);
  return asNode(asNode(first?.['init'])?.['callee'])?.['name'] === 'require';
}

/** Returns a value of a tree as a node; null if it is none. */
export function asNode(value: unknown): SyntaxNode | null {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
    ? (value as SyntaxNode)
    : null;
}

/** Returns the nodes of a list of a tree. */
export function nodesOf(value: unknown): SyntaxNode[] {
  return Array.isArray(value) ? value.flatMap((one) => asNode(one) ?? []) : [];
}
