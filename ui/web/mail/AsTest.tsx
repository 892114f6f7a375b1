import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { Button } from '../parts/controls.tsx';
import { CopyButton, Pre } from '../parts/view-controls.tsx';
import { useView } from '../use-shell.ts';
import { asTest, TEST_KINDS, type TestKind } from './as-test.ts';

/** Shows the lines of a test that waits for the open message. */
export function AsTest() {
  const open = useView(({ open }) => open);
  const url = useView(({ info }) => info?.url ?? '');
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const [kind, setKind] = useState<TestKind>('Playwright');
  if (!open?.facts || !open.content) return null;
  const { facts, content } = open;
  const link = facts.links.find(({ kind: found, rank }) => rank === 1 && found !== 'other' && found !== 'unsubscribe');
  const text = asTest(
    {
      subject: harmlessLine(content.subject ?? '', 120),
      mailboxId: facts.mailboxId,
      subdomain: mailboxes.find(({ id }) => id === facts.mailboxId)?.subdomain ?? 'inbox',
      code: facts.codes.length > 0,
      linkKind: link?.kind ?? null,
      phone: facts.kind === 'sms' ? harmlessLine(facts.envelope.rcptTo[0] ?? '', 40) : null,
    },
    kind,
    url,
  );
  return (
    <>
      <div className="switch words">
        {TEST_KINDS.map((one) => (
          <Button key={one} aria-pressed={one === kind} onClick={() => setKind(one)}>
            {one}
          </Button>
        ))}
      </div>
      <Pre>{text}</Pre>
      <div className="dialog-actions">
        <CopyButton text={text} what={`the ${kind} lines`} look="main" />
      </div>
    </>
  );
}
