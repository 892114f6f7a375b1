import { useEffect, useRef } from 'react';
import { useShell } from '../use-shell.ts';

const LEAST = 280;
const MOST = 720;
const STEP = 24;
const USUAL = 380;

/**
 * The border between two panes. The reader drags it or moves it with the arrow keys, and the browser stores its
 * position.
 */
export function PaneSplitter({ name, label }: { readonly name: string; readonly label: string }) {
  const { machine } = useShell();
  const bar = useRef<HTMLDivElement>(null);
  const width = useRef(USUAL);
  const set = (wanted: number) => {
    width.current = Math.round(Math.min(MOST, Math.max(LEAST, wanted)));
    document.documentElement.style.setProperty(`--${name}-width`, `${width.current}px`);
    bar.current?.setAttribute('aria-valuenow', String(width.current));
    machine.keep(`mailcap.${name}-width`, String(width.current));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stored width is read once
  useEffect(() => {
    const kept = Number(machine.kept(`mailcap.${name}-width`));
    if (kept > 0) set(kept);
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr element cannot be a movable separator
    <div
      ref={bar}
      className="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={USUAL}
      tabIndex={0}
      onDoubleClick={() => set(USUAL)}
      onPointerDown={(event) => {
        const from = event.clientX;
        const before = width.current;
        const target = event.currentTarget;
        target.setPointerCapture(event.pointerId);
        const moved = ({ clientX }: PointerEvent) => set(before + clientX - from);
        const over = () => {
          target.removeEventListener('pointermove', moved);
          target.removeEventListener('pointerup', over);
        };
        target.addEventListener('pointermove', moved);
        target.addEventListener('pointerup', over);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        event.stopPropagation();
        set(width.current + (event.key === 'ArrowLeft' ? -STEP : STEP));
      }}
    />
  );
}
