import { ConfigError } from './user-error.ts';

/**
 * Parses the JSON of a file. Throws a {@link ConfigError}, which names the line if JSON.parse reports where it stopped.
 */
export function parseJsonFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = error instanceof Error ? positionIn(text, error.message) : null;
    const where = at === null ? '' : `: see line ${lineAt(text, at)}`;
    throw new ConfigError(`${file} is not valid JSON${where}.`, { cause: error });
  }
}

/** Returns the position in a text that the message of JSON.parse names; null if it names none. */
function positionIn(text: string, message: string): number | null {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (message.includes('end of JSON input')) return text.length;
  // Other messages quote the token and the text around it.
  const quoted = /^Unexpected token '(.)', (?:\.\.\.)?"([\s\S]*?)"(?:\.\.\.)? is not/u.exec(message);
  if (quoted === null) return null;
  const [, token = '', around = ''] = quoted;
  const start = text.indexOf(around);
  return start < 0 ? null : start + around.indexOf(token);
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
