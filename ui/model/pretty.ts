/** A body laid out for reading, and as what. */
export interface Pretty {
  readonly as: 'json' | 'form' | 'text';
  readonly text: string;
}

/** A body of that content type laid out: JSON indented, a form one field a line; as it is where it is neither. */
export function prettyBody(body: string, contentType: string | null): Pretty {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') {
    const fields = [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`);
    return { as: 'form', text: fields.join('\n') };
  }
  const looksLikeJson = /[/+]json$/.test(type) || /^\s*[[{]/.test(body);
  if (!looksLikeJson) return { as: 'text', text: body };
  try {
    return { as: 'json', text: JSON.stringify(JSON.parse(body), null, 2) };
  } catch {
    // It says it is, and is not: as it came.
    return { as: 'text', text: body };
  }
}

/** A piece of JSON with what it is, for colours. */
export interface Token {
  readonly is: 'name' | 'text' | 'number' | 'word' | 'sign';
  readonly text: string;
}

/** The tokens of a JSON text, all of its characters in order. */
export function jsonTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([^"\d\-tfn]+|.)/gs;
  for (const [whole, string, colon, number, word] of text.matchAll(pattern)) {
    if (string !== undefined && colon !== undefined) {
      tokens.push({ is: 'name', text: string }, { is: 'sign', text: colon });
    } else if (string !== undefined) tokens.push({ is: 'text', text: string });
    else if (number !== undefined) tokens.push({ is: 'number', text: number });
    else if (word !== undefined) tokens.push({ is: 'word', text: word });
    else tokens.push({ is: 'sign', text: whole });
  }
  return tokens;
}
