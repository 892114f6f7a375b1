import { useLayoutEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import { Button } from '../parts/controls.tsx';

/** The characters that three lines of the widest pane hold. */
const FEW = 600;
const ALL = 4_000;

/** The subject of a mail as the heading of its pane: three lines of it, and all when asked. */
export function SubjectHeading({ text }: { readonly text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isWhole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const element = heading.current;
    if (element === null || isWhole) return;
    const look = () => setCut(element.scrollHeight > element.clientHeight + 1);
    look();
    // A narrower pane has more lines.
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isWhole]);
  return (
    <div className="subject">
      <h1 ref={heading} className={isWhole ? undefined : 'clamped'}>
        {harmlessLine(text, isWhole ? ALL : FEW) || NO_SUBJECT}
      </h1>
      {isCut && (
        <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less of the subject' : 'Show the whole subject'}
        </Button>
      )}
    </div>
  );
}
