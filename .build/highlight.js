// This module colours the code of the documentation: comments, strings, keywords and a few names. It knows as much of each
// language as the pages use of it.

const C_LIKE = { comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\// };
const STRINGS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const TEMPLATES = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/;

const SCRIPT = {
  ...C_LIKE,
  string: TEMPLATES,
  keyword:
    /\b(?:as|async|await|class|const|default|else|export|extends|false|for|from|function|if|import|in|interface|let|new|null|of|return|satisfies|throw|true|try|catch|type|undefined|while)\b/,
  call: /\b[a-zA-Z_$][\w$]*(?=\()/,
  number: /\b\d[\d_.]*\b/,
};
const LANGUAGES = {
  js: SCRIPT,
  ts: SCRIPT,
  json: { key: /"[^"\n]*"(?=\s*:)/, string: STRINGS, keyword: /\b(?:true|false|null)\b/, number: /-?\b\d[\d.]*\b/ },
  bash: {
    comment: /(?<=^|\s)#[^\n]*/m,
    string: /"(?:[^"\\]|\\.)*"|'[^']*'/,
    keyword: /\b(?:do|done|for|in|if|then|else|fi|while|export)\b/,
    key: /\$\w+|\$\{\w+\}/,
    call: /(?<=^|\| |&& |\$\()(?:npx |npm )?[a-z][\w./-]*(?= |$)/m,
    number: /(?<=\s)--?[a-z][\w-]*/,
  },
  yaml: {
    comment: /(?<=^|\s)#[^\n]*/m,
    key: /^[ \t-]*[\w.'-]+(?=:)/m,
    string: STRINGS,
    keyword: /\b(?:true|false|null)\b/,
    number: /\b\d[\d.]*\b/,
  },
  python: {
    comment: /#[^\n]*/,
    string: /"""[\s\S]*?"""|f?"(?:[^"\\\n]|\\.)*"|f?'(?:[^'\\\n]|\\.)*'/,
    keyword: /\b(?:as|assert|class|def|else|for|from|if|import|in|is|lambda|not|None|return|True|False|with|yield)\b/,
    call: /\b[a-zA-Z_]\w*(?=\()/,
    number: /\b\d[\d_.]*\b/,
  },
  go: {
    ...C_LIKE,
    string: TEMPLATES,
    keyword: /\b(?:const|defer|else|for|func|if|import|nil|package|range|return|struct|type|var)\b/,
    call: /\b[a-zA-Z_]\w*(?=\()/,
    number: /\b\d[\d_.]*\b/,
  },
  java: {
    ...C_LIKE,
    string: STRINGS,
    keyword: /\b(?:class|else|if|import|new|null|private|public|return|static|throw|throws|var|void)\b/,
    call: /\b[a-zA-Z_]\w*(?=\()/,
    number: /\b\d[\d_.]*\b/,
  },
  ruby: { comment: /#[^\n]*/, string: STRINGS, key: /:\w+|\b\w+(?=: )/, number: /\b\d[\d_.]*\b/ },
  php: {
    ...C_LIKE,
    string: STRINGS,
    keyword: /\b(?:return|new|function|use|true|false|null)\b/,
    call: /\b[a-zA-Z_]\w*(?=\()/,
  },
  properties: { comment: /^#[^\n]*/m, key: /^[\w.]+(?==)/m },
  dockerfile: { comment: /^#[^\n]*/m, keyword: /^[A-Z]+(?= )/m, string: STRINGS },
};

/** Returns a code block as HTML. The code of an unknown language has no colours. */
export function highlighted(code, language) {
  const rules = Object.entries(LANGUAGES[language] ?? {});
  if (rules.length === 0) return escaped(code);
  const flags = rules.some(([, { flags }]) => flags.includes('m')) ? 'gm' : 'g';
  const pattern = new RegExp(rules.map(([name, { source }]) => `(?<${name}>${source})`).join('|'), flags);
  let html = '';
  let at = 0;
  for (const { index, 0: text, groups } of code.matchAll(pattern)) {
    const [name] = Object.entries(groups).find(([, found]) => found !== undefined);
    html += `${escaped(code.slice(at, index))}<span class="${name}">${escaped(text)}</span>`;
    at = index + text.length;
  }
  return html + escaped(code.slice(at));
}

/** Escapes a text for HTML content and attributes. */
export function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
