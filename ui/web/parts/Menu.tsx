import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from './Icon.tsx';

/**
 * A menu behind three dots. It closes after a choice, by Escape, and by a click elsewhere. Its items are drawn only
 * while it is open.
 */
export function Menu({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const box = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const close = () => {
      if (box.current !== null) box.current.open = false;
    };
    const pressed = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) close();
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close();
      box.current?.querySelector('summary')?.focus();
    };
    addEventListener('pointerdown', pressed);
    addEventListener('keydown', key, true);
    return () => {
      removeEventListener('pointerdown', pressed);
      removeEventListener('keydown', key, true);
    };
  }, [isOpen]);
  return (
    <details className="menu" ref={box} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label} title={label}>
        <Icon name="more" />
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a key on an item is a click too
        // biome-ignore lint/a11y/noStaticElementInteractions: the items are the controls
        <div
          className="menu-items"
          onClick={() => {
            if (box.current !== null) box.current.open = false;
          }}
        >
          {children}
        </div>
      )}
    </details>
  );
}
