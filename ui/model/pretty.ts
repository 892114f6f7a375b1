/** A formatted body and the format that was recognized. */
export interface Pretty {
  readonly as: 'json' | 'form' | 'text';
  readonly text: string;
}

/**
 * Formats a body by its content type: JSON is indented, and a form gets one line a field. Any other body stays as it
 * is.
 */
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
    // The body looks like JSON but does not parse. It is shown as it was received.
    return { as: 'text', text: body };
  }
}

/** A token of a JSON text and its kind, for syntax colours. */
export interface JsonToken {
  readonly is: 'name' | 'text' | 'number' | 'word' | 'sign';
  readonly text: string;
}

/** Splits a JSON text into tokens. Together they contain every character in order. */
export function jsonTokens(text: string): readonly JsonToken[] {
  const tokens: JsonToken[] = [];
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
