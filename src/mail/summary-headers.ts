import type { Field } from './header-block.ts';
import { headerText } from './header-text.ts';

/** The one text of a header that should stand once: where it repeats, the last that says something. */
export function lastText(fields: readonly Field[], name: string): string | null {
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index];
    const text = field?.name === name ? headerText(name, field.value) : null;
    if (text !== null) return text;
  }
  return null;
}

/** The text of an address list: where the header repeats, all of them. */
export function listText(fields: readonly Field[], name: string): string | null {
  let list: string | null = null;
  for (const field of fields) {
    const text = field.name === name ? headerText(name, field.value) : null;
    if (text !== null) list = list === null ? text : `${list}, ${text}`;
  }
  return list;
}
