import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { IconButton } from './controls.tsx';

/** A native dialog. It takes the focus and returns it, and Escape closes it. */
export function Dialog({
  label,
  onClose,
  children,
  className = '',
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A plain effect runs after the next frame. A key typed before that would go to the page behind.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown !== null && !shown.open) {
      shown.showModal();
      shown.querySelector<HTMLElement>('[data-first]')?.focus();
    }
    return () => shown?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same by keyboard
    <dialog
      ref={dialog}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}

export function DialogHead({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <header className="dialog-head">
      <h2>{title}</h2>
      {children}
      <IconButton icon="close" label="Close" hint="esc" onClick={onClose} />
    </header>
  );
}
