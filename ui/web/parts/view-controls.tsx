import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useShell } from '../use-shell.ts';
import { Button, Failed, Skeleton } from './controls.tsx';

// The controls that the first view does not need.

/** Shows why the request of a form failed, or nothing. */
export function FormError({ reason }: { readonly reason: string | null }) {
  if (reason === null) return null;
  return (
    <p className="error" role="alert">
      {reason}
    </p>
  );
}

/** A button that copies a text and confirms it in place. */
export function CopyButton({
  text,
  what,
  label = 'Copy',
  look = 'plain',
}: {
  readonly text: string | (() => string);
  readonly what: string;
  readonly label?: string;
  readonly look?: ComponentProps<typeof Button>['look'];
}) {
  const shell = useShell();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const all = typeof text === 'string' ? text : text();
    if (await shell.machine.copy(all)) setCopied(true);
    else shell.say(`Could not copy ${what}`, 'bad');
  };
  return (
    <Button
      look={look ?? 'plain'}
      icon={copied ? 'check' : 'copy'}
      aria-label={`${label}: ${what}`}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  );
}

/** A tab list by the ARIA pattern of tabs. */
export function Tabs<Name extends string>({
  label,
  tabs,
  current,
  onPick,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly text: string; readonly count?: number | undefined }[];
  readonly current: Name;
  readonly onPick: (name: Name) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the tabs scroll, and the current one can be out of sight. The page stays where it is: in a low
  // window, `scrollIntoView` would also pass over what stands above the tabs.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tabs scroll when another one is current
  useEffect(() => {
    const all = list.current;
    const tab = all?.querySelector('[aria-selected=true]')?.getBoundingClientRect();
    if (!all || tab === undefined) return;
    const { left, right } = all.getBoundingClientRect();
    all.scrollLeft += Math.min(0, tab.left - left) + Math.max(0, tab.right - right);
  }, [current]);
  const turn = (by: number) => {
    const at = tabs.findIndex(({ name }) => name === current);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onPick(next.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div
      ref={list}
      className="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
        event.preventDefault();
        event.stopPropagation();
        turn(event.key === 'ArrowRight' ? 1 : -1);
      }}
    >
      {tabs.map(({ name, text, count }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          data-tab={name}
          data-text={text}
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onPick(name)}
        >
          {text} {count !== undefined && count > 0 && <span className="count">{count}</span>}
        </button>
      ))}
    </div>
  );
}

/** A form field with its label above. A hint below it describes it, and is not part of its name. */
export function FormField({
  label,
  hint,
  className = '',
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (hint !== undefined)
      field.current?.querySelector('input, select, textarea')?.setAttribute('aria-describedby', id);
  }, [hint, id]);
  return (
    <div ref={field} className={`field ${className}`}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the children contain the control */}
      <label>
        <span className="name">{label}</span>
        {children}
      </label>
      {hint !== undefined && (
        <span className="hint" id={id}>
          {hint}
        </span>
      )}
    </div>
  );
}

/** Stands in a view whose value is not loaded: placeholders, or the reason why it can't be loaded. */
export function NotLoaded({
  failure,
  slow,
  rows = 6,
  onRetry,
}: {
  readonly failure: string | null;
  readonly slow: boolean;
  readonly rows?: number;
  readonly onRetry: () => void;
}) {
  return failure === null ? <Skeleton slow={slow} rows={rows} /> : <Failed reason={failure} onRetry={onRetry} />;
}

/** A text that scrolls, and that the keyboard reaches therefore. */
export function Pre(props: ComponentProps<'pre'>) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
  return <pre tabIndex={0} {...props} />;
}

/** A text with a button that copies it. */
export function CopyableText({
  name,
  where,
  text,
}: {
  readonly name: string;
  readonly where: string;
  readonly text: string;
}) {
  return (
    <figure className="snippet">
      <figcaption>
        <strong>{name}</strong> <span className="faint">{where}</span>
        <CopyButton text={text} what={name} look="quiet" />
      </figcaption>
      <Pre>{text}</Pre>
    </figure>
  );
}

export function Tone({
  tone,
  children,
}: {
  readonly tone: 'good' | 'bad' | 'plain' | 'waiting';
  readonly children: ReactNode;
}) {
  return (
    <span className={`tone ${tone}`}>
      <i aria-hidden="true" />
      {children}
    </span>
  );
}
