import type { FocusEvent } from 'react';

/**
 * Takes the focus from a row to its list. The element of a row shows another message after it is scrolled away or
 * deleted. A dialog that gives the focus back to it would scroll the list to that message.
 */
export function keepFocus({ target, currentTarget }: FocusEvent<HTMLElement>): void {
  if (target !== currentTarget) currentTarget.focus({ preventScroll: true });
}
