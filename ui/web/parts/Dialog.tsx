import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { IconButton } from './controls.tsx';

/** A native dialog. It takes the focus and returns it, and Escape closes it. */
export function Dialog({
  label,
  onClose,
  children,
  className = '',
  isBare = false,
  actions,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
  /** True without a head, which shows the label and a button that closes the dialog. */
  readonly isBare?: boolean;
  /** The buttons that stand in the head before that one. */
  readonly actions?: ReactNode;
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
      <div className="dialog-body">
        {!isBare && (
          <header className="dialog-head">
            <h2>{label}</h2>
            {actions}
            <IconButton icon="close" label="Close" hint="esc" onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
