import { harmlessLine } from '../../../src/text/harmless.ts';
import { namelessAs } from '../../../src/text/mail-type.ts';
import { saidCount, saidMoment } from '../../../src/text/said.ts';
import { nameOfMessage } from '../../../src/text/wording.ts';
import { COMPARE_TABS, type CompareRoute, type CompareTab, messageRoute } from '../app/route.ts';
import { headersOf } from '../mail/mail-source.ts';
import { Button } from '../parts/controls.tsx';
import { NotLoaded, Tabs } from '../parts/view-controls.tsx';
import { useLoaded, useTitle } from '../use-loaded.ts';
import { href, useShell } from '../use-shell.ts';
import { Looks } from './Looks.tsx';
import type { LoadedMail } from './mail-facts.ts';
import { type ComparedMail, comparedFacts } from './mail-facts.ts';
import { Pixels } from './Pixels.tsx';
import { markupLines } from './side-by-side.ts';
import { TextsSideBySide } from './TextsSideBySide.tsx';

interface Two {
  readonly left: LoadedMail;
  readonly right: LoadedMail;
}

const NAMES: Readonly<Record<CompareTab, string>> = {
  look: 'Looks',
  pixels: 'Pixels',
  text: 'Text',
  markup: 'HTML source',
  headers: 'Headers',
};

/** Shows the differences of two loaded messages: their facts, and their content in the tab that the address names. */
export function Compared({ route, left, right }: { readonly route: CompareRoute } & Two) {
  const shell = useShell();
  useTitle(`${nameOfMessage({ ...right.content, kind: right.facts.kind }, 60)}, side by side`);
  const both = [left.content, right.content];
  const hasHtml = both.some(({ htmlBody }) => htmlBody !== null);
  const tabs = COMPARE_TABS.filter((tab) => {
    if (tab === 'look' || tab === 'markup') return hasHtml;
    // A picture is drawn of HTML alone.
    if (tab === 'pixels') return both.every(({ htmlBody }) => htmlBody !== null);
    return tab !== 'text' || !hasHtml || both.some(({ textBody }) => textBody !== null);
  });
  const tab = route.tab !== null && tabs.includes(route.tab) ? route.tab : (tabs[0] ?? 'text');
  return (
    <>
      <div className="two">
        <Side side="left" mail={left} otherId={right.facts.id} />
        <Side side="right" mail={right} otherId={left.facts.id} />
      </div>
      <Facts left={left} right={right} />
      <Tabs
        label="Views of the two messages"
        current={tab}
        onPick={(next) => shell.go({ ...route, tab: next }, { replace: true })}
        tabs={tabs.map((name) => ({ name, text: NAMES[name] }))}
      />
      <div className={`view compare-view view-${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'look' && <Looks left={left} right={right} />}
        {tab === 'pixels' && <Pixels leftId={left.facts.id} rightId={right.facts.id} />}
        {tab === 'text' && (
          <TextsSideBySide key={tab} left={left.content.textBody ?? ''} right={right.content.textBody ?? ''} />
        )}
        {tab === 'markup' && (
          <TextsSideBySide
            key={tab}
            left={markupLines(left.content.htmlBody ?? '')}
            right={markupLines(right.content.htmlBody ?? '')}
          />
        )}
        {tab === 'headers' && <HeadersSideBySide leftId={left.facts.id} rightId={right.facts.id} />}
      </div>
    </>
  );
}

function Side({
  side,
  mail: { facts, content },
  otherId,
}: {
  readonly side: 'left' | 'right';
  readonly mail: LoadedMail;
  readonly otherId: string;
}) {
  const shell = useShell();
  return (
    <section className="side" aria-label={`The ${side} message`}>
      <h2 className="clamped">
        <a href={href(messageRoute(facts.id))}>{nameOfMessage({ ...content, kind: facts.kind }, 200)}</a>
      </h2>
      <p className="faint">{saidMoment(Date.parse(facts.receivedAt), shell.now())}</p>
      <Button
        look="quiet"
        aria-label={`Choose another message on the ${side}`}
        onClick={() => shell.go({ at: 'compare', leftId: null, rightId: otherId, tab: null })}
      >
        Choose another
      </Button>
    </section>
  );
}

/** Shows the facts of both messages. Facts that differ come first. */
function Facts({ left, right }: Two) {
  const rows = comparedFacts(comparedOf(left), comparedOf(right));
  const differing = rows.filter(({ same }) => !same);
  const equal = rows.filter(({ same }) => same);
  return (
    <table className="compare-facts">
      <caption className="sr">Differences outside the bodies</caption>
      <colgroup>
        <col />
        <col />
        <col />
      </colgroup>
      <tbody>
        {differing.map(({ name, left: one, right: other }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <Values values={one} />
            <Values values={other} />
          </tr>
        ))}
        {equal.length > 0 && (
          <tr className="faint">
            <th scope="row">The same</th>
            <td colSpan={2}>{equal.map(({ name }) => name.toLowerCase()).join(', ')}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** The number of values that are shown. The rest is only counted, because a newsletter has hundreds of links. */
const SHOWN = 4;

function Values({ values }: { readonly values: readonly string[] }) {
  const more = values.length - SHOWN;
  return (
    <td>
      {values.slice(0, SHOWN).map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values can repeat
        <div key={index}>{harmlessLine(value, 160)}</div>
      ))}
      {more > 0 && <div className="faint">{`and ${more} more`}</div>}
      {values.length === 0 && <span className="faint">none</span>}
    </td>
  );
}

function HeadersSideBySide({ leftId, rightId }: { readonly leftId: string; readonly rightId: string }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`headers ${leftId} ${rightId}`, () =>
    Promise.all([leftId, rightId].map(async (id) => headerLines(await shell.api.getRawMessage(id)))),
  );
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={5} />;
  return <TextsSideBySide left={value[0] ?? ''} right={value[1] ?? ''} />;
}

function headerLines(raw: Uint8Array): string {
  return headersOf(new TextDecoder().decode(raw))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function comparedOf({ facts, content }: LoadedMail): ComparedMail {
  return {
    from: content.from ?? '',
    to: content.to ?? '',
    cc: content.cc ?? '',
    replyTo: content.replyTo ?? '',
    codes: facts.codes.map(({ code }) => code),
    links: facts.links.map(({ url }) => url),
    attachments: (content.attachments ?? []).map(
      ({ filename, contentType, sizeBytes }) =>
        `${filename ?? namelessAs(contentType ?? '')}, ${saidCount(sizeBytes, 'byte')}`,
    ),
    // Rounded, two sizes that differ would be the same.
    size: saidCount(facts.sizeBytes, 'byte'),
  };
}
