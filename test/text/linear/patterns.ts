import { join } from 'node:path';
import ts from 'typescript';
import { sourceFiles } from '../../support/boundaries.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A regular expression in the sources. */
export interface Pattern {
  /** The file and the expression, as `src/a.ts /a+/g`. Two equal ones in a file count as one. */
  readonly name: string;
  readonly source: string;
  readonly flags: string;
}

/** A call of `RegExp`, with the words of its file. */
export interface Call {
  readonly path: string;
  readonly text: string;
}

/** Returns the regular expressions of the product, and the calls that make others from text. */
export function patternsOf(...folders: readonly string[]): { literals: Pattern[]; calls: Call[] } {
  const literals = new Map<string, Pattern>();
  const calls: Call[] = [];
  for (const [path, text] of folders.flatMap((folder) => [...sourceFiles(ROOT, folder)])) {
    const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const name = `${path} ${node.text}`;
        const end = node.text.lastIndexOf('/');
        literals.set(name, { name, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
      } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(file) === 'RegExp')
        calls.push({ path, text: node.getText(file).replace(/\s+/g, ' ') });
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return { literals: [...literals.values()], calls };
}
