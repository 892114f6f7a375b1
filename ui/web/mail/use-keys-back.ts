import { type RefObject, useEffect, useState } from 'react';

/** The time in milliseconds after the Tab key in which the focus moves because of it. */
const BY_TAB_MS = 100;

/**
 * Gives the keys back to the page after a click into a mail. The document of the mail takes them with the focus, and it
 * runs no script that could pass them on. The focus comes back when the pointer leaves the frame, so that a text that
 * was selected there can be copied before. A focus by the Tab key stays. Returns whether the frame has the keys.
 */
export function useKeysBack(frame: RefObject<HTMLIFrameElement | null>): boolean {
  const [hasKeys, setHasKeys] = useState(false);
  useEffect(() => {
    let tabbedAt = Number.NEGATIVE_INFINITY;
    let wasClicked = false;
    const isInside = () => frame.current !== null && document.activeElement === frame.current;
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Tab') tabbedAt = event.timeStamp;
    };
    const blurred = (event: Event) => {
      // The element that has the focus is known after this event.
      setTimeout(() => {
        if (!isInside()) return;
        wasClicked = event.timeStamp - tabbedAt > BY_TAB_MS;
        setHasKeys(true);
      });
    };
    const focused = () => setHasKeys(isInside());
    const moved = ({ target }: Event) => {
      if (!wasClicked || target === frame.current || !isInside()) return;
      wasClicked = false;
      document.getElementById('message')?.focus({ preventScroll: true });
      setHasKeys(false);
    };
    const shown = new AbortController();
    const { signal } = shown;
    addEventListener('keydown', key, { capture: true, signal });
    addEventListener('blur', blurred, { signal });
    addEventListener('focus', focused, { signal });
    addEventListener('focusin', focused, { signal });
    addEventListener('pointerover', moved, { signal });
    return () => shown.abort();
  }, [frame]);
  return hasKeys;
}
