import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

// The table of options has a short text of each for the help of the command line, and docs/options.md has a sentence.
// This plugin writes that sentence into the types, so that an editor shows it where an option of `createMailcap()` or
// `mailcapWebServer()` is named.

const FILE = resolve('dist/src/config/options.d.ts');

/** Returns a plugin that gives each option of the table its docstring. */
export function optionDocs() {
  return {
    name: 'option-docs',
    async load(id) {
      if (resolve(id) !== FILE) return null;
      const words = await optionWords();
      const { OPTIONS } = await import('../dist/src/config/options.js');
      const text = readFileSync(FILE, 'utf8');
      const table = text.indexOf('const OPTIONS: {');
      const end = text.indexOf('\n};', table);
      // An option is a name with one level of indentation.
      const documented = text
        .slice(table, end)
        .replace(
          /^ {4}(?:readonly )?(\w+): \{$/gm,
          (line, name) => `    /** ${plain(words[name])}.${saidDefault(OPTIONS[name])} */\n${line}`,
        );
      return text.slice(0, table) + documented + text.slice(end);
    },
  };
}

/** Reads the sentences of docs/options.md. They are a module of TypeScript, whose only imports are types. */
async function optionWords() {
  const source = readFileSync('.build/words.ts', 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext } });
  return (await import(`data:text/javascript,${encodeURIComponent(outputText)}`)).OPTION_WORDS;
}

function saidDefault({ default: value }) {
  return value === undefined ? '' : ` Default: \`${JSON.stringify(value)}\`.`;
}

/** Returns a sentence of Markdown without its links. */
function plain(markdown) {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
