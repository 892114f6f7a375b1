import { INVISIBLE } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { Button } from '../parts/controls.tsx';

/** Names the invisible characters of a text, and shows or hides them in it. Nothing if there are none. */
export function InvisibleNote({
  text,
  where = '',
  isMarked,
  onMark,
}: {
  readonly text: string;
  /** The place of the text, as the end of a sentence. */
  readonly where?: string;
  readonly isMarked: boolean;
  readonly onMark: (isMarked: boolean) => void;
}) {
  const invisible = text.match(INVISIBLE) ?? [];
  if (invisible.length === 0) return null;
  return (
    <p className="note waiting invisible-note">
      {saidCount(invisible.length, 'invisible character')}
      {where}: {[...new Set(invisible.map(codePoint))].slice(0, 5).join(', ')}{' '}
      <Button look="quiet" aria-pressed={isMarked} onClick={() => onMark(!isMarked)}>
        {isMarked ? 'Hide them' : 'Show them'}
      </Button>
    </p>
  );
}

/** Writes the name of each invisible character in its place. */
export function withMarks(text: string): string {
  return text.replace(INVISIBLE, (sign) => `[${codePoint(sign)}]`);
}

/** Returns the name of a character as standards write it, such as `U+200B`. */
function codePoint(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
