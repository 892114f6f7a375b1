import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { SLOW_MS } from '../use-shell.ts';
import { Icon, type IconName } from './Icon.tsx';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'type'> {
  readonly icon?: IconName | undefined;
  readonly look?: 'plain' | 'main' | 'danger' | 'quiet';
  readonly submit?: boolean;
}

export function Button({ icon, look = 'plain', submit = false, children, className = '', ...rest }: ButtonProps) {
  return (
    <button type={submit ? 'submit' : 'button'} className={`button ${look} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'title'> {
  readonly icon: IconName;
  readonly label: string;
  /** The key with the same effect. */
  readonly hint?: string;
}

export function IconButton({ icon, label, hint, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      title={hint === undefined ? label : `${label} (${hint})`}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The message of an empty list: the reason, and the next step. */
export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} size={24} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A loading error with a button to try again. */
export function Failed({
  title = 'This could not be loaded',
  reason,
  isPane = false,
  onRetry,
}: {
  readonly title?: string | undefined;
  readonly reason: string;
  /** True in a pane that is all that a narrow window shows. The title is its heading then. */
  readonly isPane?: boolean;
  readonly onRetry?: (() => void) | undefined;
}) {
  const Heading = isPane ? 'h1' : 'h2';
  return (
    <div className="empty failed" role="alert">
      <Icon name="alert" size={24} />
      <Heading>{title}</Heading>
      <p>{reason}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Placeholders for rows that are loading. They appear after a short moment. */
export function Skeleton({ rows = 6, slow }: { readonly rows?: number; readonly slow: boolean }) {
  if (!slow) return null;
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_none, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all placeholders are equal
        <div key={index} className="bone" />
      ))}
    </div>
  );
}

/** Placeholders for a view whose code is loading. */
export function SlowSkeleton({ rows = 6 }: { readonly rows?: number }) {
  return <Skeleton rows={rows} slow={useIsSlow()} />;
}

/** Returns true after the component, or what it shows by this id, was shown for a noticeable time. */
export function useIsSlow(id = ''): boolean {
  const [slow, setSlow] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time begins again with another id
  useEffect(() => {
    setSlow(false);
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return slow;
}
