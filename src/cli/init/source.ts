// A configuration is edited where the parser says, and every other character of it stays. jiti reads both JavaScript and
// TypeScript, and mailcap reads its own configuration with it.

type Parser = typeof import('jiti').createJiti;
let createParser: Parser | null = null;

/** Loads the parser, which no other command has to load with its own module. Call it before {@link programOf}. */
export async function loadParser(): Promise<void> {
  createParser ??= (await import('jiti')).createJiti;
}

/** A node of a syntax tree, with its place in the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Parses a file in JavaScript or TypeScript; null if it is neither. */
export function programOf(path: string, source: string): SyntaxNode | null {
  if (createParser === null) throw new Error('The parser is not loaded.');
  let program: unknown = null;
  const reader = () => ({
    pre: ({ ast }: { readonly ast: { readonly program: unknown } }) => {
      // The compiler changes the tree later.
      program = structuredClone(ast.program);
    },
  });
  try {
    const options = { source, filename: path, ts: /\.[cm]?ts$/.test(path), babel: { plugins: [reader] } };
    createParser(import.meta.url, { fsCache: false }).transform(options);
  } catch {
    return null;
  }
  return asNode(program);
}

/**
 * Returns the object that a configuration exports: as a literal, through `defineConfig` and other functions of packages,
 * through a constant, or as the result of a function. Returns null for anything else: a function of the project itself
 * may do anything with an object that it gets.
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
    if (exported !== null) return objectIn(exported, [nodesOf(program['body'])]);
  }
  return null;
}

/** Tells whether a program is a CommonJS module: it assigns `module.exports`. */
function isCommonJs(program: SyntaxNode): boolean {
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

/** Returns the spreads of an object literal. */
export function spreadsOf(object: SyntaxNode): SyntaxNode[] {
  return nodesOf(object['properties']).filter(({ type }) => type === 'SpreadElement');
}

/** Returns the value of a string literal; null for anything else. */
export function stringOf(node: SyntaxNode | null): string | null {
  if (node?.type === 'StringLiteral') return String(node['value']);
  const [only, ...others] = node?.type === 'TemplateLiteral' ? nodesOf(node['quasis']) : [];
  if (only === undefined || others.length > 0) return null;
  return String((only['value'] as { readonly cooked?: unknown }).cooked);
}

/** Returns an expression without the types that TypeScript puts around it. */
export function withoutTypes(node: SyntaxNode | null): SyntaxNode | null {
  const isTyped = node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression';
  return isTyped ? withoutTypes(asNode(node['expression'])) : node;
}

/** Tells whether code mentions a name, outside comments and strings. */
export function mentions(node: SyntaxNode, name: string): boolean {
  if (node.type === 'Identifier' && node['name'] === name) return true;
  return childrenOf(node).some((child) => mentions(child, name));
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.entries(node).flatMap(([field, value]) => {
    if (field.endsWith('Comments')) return [];
    return Array.isArray(value) ? nodesOf(value) : (asNode(value) ?? []);
  });
}

/** The statements in which a name may be declared, the innermost block first. */
type Scopes = readonly (readonly SyntaxNode[])[];

/** The most steps from an export to its object. A constant may name itself. */
const STEPS = 20;

function objectIn(node: SyntaxNode | null, scopes: Scopes, steps = STEPS): SyntaxNode | null {
  if (node === null || steps === 0) return null;
  switch (node.type) {
    case 'ObjectExpression':
      return node;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'AwaitExpression':
      return objectIn(asNode(node['expression'] ?? node['argument']), scopes, steps - 1);
    case 'CallExpression':
      if (!takesConfig(asNode(node['callee']), scopes)) return null;
      // The last one that is written here: the others may come from elsewhere.
      for (const argument of nodesOf(node['arguments']).reverse()) {
        const object = objectIn(argument, scopes, steps - 1);
        if (object !== null) return object;
      }
      return null;
    case 'ArrowFunctionExpression':
    case 'FunctionExpression': {
      const body = asNode(node['body']);
      if (body?.type !== 'BlockStatement') return objectIn(body, scopes, steps - 1);
      return objectIn(onlyResultOf(body), [nodesOf(body['body']), ...scopes], steps - 1);
    }
    case 'Identifier':
      return objectIn(constantNamed(String(node['name']), scopes), scopes, steps - 1);
    default:
      return null;
  }
}

/** The functions of packages that take a configuration. Others take options of their own. */
const TAKES_CONFIG = /^(?:define\w*|mergeConfig|getViteConfig|create\w*JestConfig|nextJest)$/;

/** Tells whether a function takes a configuration and gives it back: not one that the project itself wrote. */
function takesConfig(callee: SyntaxNode | null, scopes: Scopes): boolean {
  if (callee?.type === 'CallExpression') return takesConfig(asNode(callee['callee']), scopes);
  const called = callee?.type === 'MemberExpression' ? asNode(callee['property']) : callee;
  const name = String(called?.['name']);
  if (!TAKES_CONFIG.test(name)) return false;
  return !scopes.flat().some((statement) => {
    if (statement.type === 'FunctionDeclaration') return asNode(statement['id'])?.['name'] === name;
    if (statement.type === 'ImportDeclaration')
      return (
        nodesOf(statement['specifiers']).some((one) => asNode(one['local'])?.['name'] === name) &&
        isRelative(asNode(statement['source']))
      );
    return nodesOf(statement['declarations']).some((one) => {
      const value = asNode(one['init']);
      if (!mentions(asNode(one['id']) ?? one, name)) return false;
      if (value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression') return true;
      // const { createJestConfig } = require('./base')
      return value?.type === 'CallExpression' && isRelative(nodesOf(value['arguments'])[0] ?? null);
    });
  });
}

function isRelative(path: SyntaxNode | null): boolean {
  return stringOf(path)?.startsWith('.') === true;
}

/** Returns what a function returns, if it ends with its only `return`. */
function onlyResultOf(body: SyntaxNode): SyntaxNode | null {
  const last = nodesOf(body['body']).at(-1);
  return last?.type === 'ReturnStatement' && returnsIn(body) === 1 ? asNode(last['argument']) : null;
}

/** Counts the `return`s of a block, without those of functions in it. */
function returnsIn(node: SyntaxNode): number {
  if (node.type === 'ReturnStatement') return 1;
  return childrenOf(node)
    .filter(({ type }) => !/Function|Method/.test(type))
    .reduce((count, child) => count + returnsIn(child), 0);
}

/** Returns the value of a constant; null if the file has none with this name. */
export function constantOf(name: string, program: SyntaxNode): SyntaxNode | null {
  return constantNamed(name, [nodesOf(program['body'])]);
}

function constantNamed(name: string, scopes: Scopes): SyntaxNode | null {
  const declared = scopes
    .flat()
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? asNode(statement['declaration']) : statement))
    .filter((statement) => statement?.type === 'VariableDeclaration')
    .flatMap((statement) => nodesOf(statement?.['declarations']))
    .filter((one) => asNode(one['id'])?.['name'] === name);
  return asNode(declared[0]?.['init']);
}

/** A text that is put into another one. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
  /** The number of blanks at this place that it replaces. */
  readonly blanks?: number;
}

/** Puts texts into another one. Their places are those of the text before all changes. */
function withInsertions(text: string, insertions: readonly Insertion[]): string {
  let made = text;
  for (const { at, text: put, blanks = 0 } of insertions.toSorted((one, other) => other.at - one.at))
    made = `${made.slice(0, at)}${put}${made.slice(at + blanks)}`;
  return made;
}

/**
 * Returns a configuration with insertions into the object that it exports. Returns null if it exports none, or if
 * `insert` finds no place.
 */
export function editedConfig(
  path: string,
  text: string,
  insert: (object: SyntaxNode, program: SyntaxNode) => Insertion[] | null,
): string | null {
  const program = programOf(path, text);
  const object = program === null ? null : exportedObject(program);
  const insertions = program === null || object === null ? null : insert(object, program);
  return insertions === null ? null : withInsertions(text, insertions);
}

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
  const blanks = inside.length - inside.trimStart().length;
  const insertions = [{ at: start + 1, text: `${put}${newline}${inner}`, blanks }];
  const last = inside.trimEnd().length;
  return inside.includes('\n')
    ? insertions
    : [...insertions, { at: start + 1 + last, text: `${newline}${outer}`, blanks: inside.length - last }];
}

/** Puts one entry at the beginning of an object literal, on the line of an object that has only one. */
export function entryAtStart(text: string, object: SyntaxNode, entry: string): Insertion[] {
  const inside = text.slice(object.start + 1, object.end - 1);
  if (inside.includes('\n') || inside.trim() === '') return linesAtStart(text, object, [entry]);
  return [{ at: object.start + 1, text: ` ${entry}${/^\s/.test(inside) ? '' : ' '}` }];
}

/** Puts an import below the last one, with the quotes and the semicolons of the file. */
export function importLine(text: string, program: SyntaxNode, name: string, from: string): Insertion {
  const last = lastImport(program);
  const quote = quoteOf(text, program);
  const end = last === undefined || text[last.end - 1] === ';' ? ';' : '';
  const line = `${importOf(program, name, `${quote}${from}${quote}`)}${end}`;
  const newline = newlineOf(text);
  if (last === undefined) {
    const [first] = nodesOf(program['body']);
    return {
      at: first === undefined ? text.length : withItsComments(text, first),
      text: `${line}${newline}${newline}`,
    };
  }
  // A comment at the end of the line stays with its import.
  const [comment = ''] = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*\*\/[ \t]*(?=[\r\n]|$))/.exec(text.slice(last.end)) ?? [];
  return { at: last.end + comment.length, text: `${newline}${line}` };
}

/** Returns the import of a name for a file, without a semicolon. `from` is in quotes. */
export function importOf(program: SyntaxNode | null, name: string, from: string): string {
  return program !== null && isCommonJs(program)
    ? `const { ${name} } = require(${from})`
    : `import { ${name} } from ${from}`;
}

function lastImport(program: SyntaxNode): SyntaxNode | undefined {
  return nodesOf(program['body']).findLast((one) => one.type === 'ImportDeclaration' || isRequire(one));
}

/** Returns the place above a statement and the comments that touch it, as the one with its type. */
function withItsComments(text: string, { start, ...fields }: SyntaxNode): number {
  const comments = nodesOf(fields['leadingComments']);
  const touches = (end: number, next: number) => !/\n[ \t\r]*\n/.test(text.slice(end, next));
  return comments.reduceRight((at, comment) => (touches(comment.end, at) ? comment.start : at), start);
}

/** Returns the quotes of a file: those of its imports, or else those that it has more of. */
export function quoteOf(text: string, program: SyntaxNode): "'" | '"' {
  const last = lastImport(program);
  if (last !== undefined) return text.slice(last.start, last.end).includes('"') ? '"' : "'";
  return text.split('"').length > text.split("'").length ? '"' : "'";
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
