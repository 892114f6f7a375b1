import { resolve } from 'node:path';
import ts from 'typescript';

// The types of the API's answers come from the server's schemas, that is from zod. With such declarations every user
// would have to install zod for its types. This plugin writes each type in full instead.

const FILES = ['resources', 'local-resources'].map((name) => resolve(`dist/src/client/connection/${name}.d.ts`));
const SCHEMAS = /^(schemas|messages|outbound|search|webhooks|z)$/;
const FLAGS = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;

/** Returns a plugin that replaces each type made of schemas by the plain type. */
export function plainTypes() {
  let program;
  return {
    name: 'plain-types',
    load(id) {
      if (!FILES.includes(resolve(id))) return null;
      program ??= ts.createProgram(FILES, { module: ts.ModuleKind.NodeNext, strict: true, skipLibCheck: true });
      const source = program.getSourceFile(id);
      const changes = source.statements.filter(ts.isTypeAliasDeclaration).flatMap(({ type }) => typesOfSchemas(type));
      const checker = program.getTypeChecker();
      let code = source.text;
      for (const node of changes.reverse()) {
        const plain = checker.typeToString(checker.getTypeFromTypeNode(node), undefined, FLAGS);
        code = code.slice(0, node.getStart(source)) + plain + code.slice(node.end);
      }
      return code;
    },
  };
}

/** Returns the outermost types that name a schema, in their order. */
function typesOfSchemas(node) {
  if (ts.isTypeReferenceNode(node) && namesSchema(node)) return [node];
  const found = [];
  ts.forEachChild(node, (child) => void found.push(...typesOfSchemas(child)));
  return found;
}

function namesSchema(node) {
  if (ts.isIdentifier(node)) return SCHEMAS.test(node.text);
  return ts.forEachChild(node, (child) => namesSchema(child) || undefined) === true;
}
