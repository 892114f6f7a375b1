import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { CheckFinding, HtmlSupport } from '../app/api.ts';
import { Button } from '../parts/controls.tsx';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';

type Place = NonNullable<CheckFinding['place']>;
type Feature = HtmlSupport['features'][number];
type Client = Feature['clients'][number];

const SIGNS = { yes: '✓', partial: '◐', no: '✕' } as const;
const SAID = { yes: 'supported', partial: 'in part', no: 'not supported' } as const;
const WEIGHT = { yes: 0, partial: 1, no: 2 } as const;

/** Shows how much of a mail's HTML and CSS mail programs support: a score, and a table by feature and by program. */
export function HtmlSupportView({
  messageId,
  shown,
  onShow,
}: {
  readonly messageId: string;
  readonly shown: Place | null;
  readonly onShow: (place: Place) => void;
}) {
  const shell = useShell();
  const [all, setAll] = useState(false);
  const { value, failure, slow, reload } = useLoaded(`html support ${messageId} ${all}`, (signal) =>
    shell.api.getHtmlSupport(messageId, all ? { clients: ['all'] } : {}, { signal }),
  );
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={2} />;
  const { score, features, partial, unsupported, clientData } = value;
  const families = familiesOf(features);
  const room = all ? 'scrolled of-all-programs' : 'scrolled';
  return (
    <section className="html-support" aria-labelledby="html-support">
      <h2 id="html-support">HTML and CSS in mail programs</h2>
      {score === null ? (
        <p className="faint">The mail has no HTML.</p>
      ) : (
        <>
          <div className="score">
            <output aria-label="Score">{percent(score)}</output>
            <span className="bar" aria-hidden="true">
              <i className="good" style={{ flexGrow: score }} />
              <i className="waiting" style={{ flexGrow: partial }} />
              <i className="bad" style={{ flexGrow: unsupported }} />
            </span>
            <span className="faint">
              {percent(score)} supported, {percent(partial)} in part, {percent(unsupported)} not. Data of{' '}
              {clientData.source} from {clientData.date}.
            </span>
            <Button look="quiet" aria-pressed={all} onClick={() => setAll(!all)}>
              All mail programs
            </Button>
          </div>
          {features.length === 0 ? (
            <p className="faint">All of these mail programs support everything that the mail uses.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
            <section className={room} tabIndex={0} aria-label="Features that are not supported everywhere">
              <table className="plain support">
                <thead>
                  <tr>
                    <th scope="col">Feature</th>
                    <th scope="col">Place</th>
                    {families.map(({ id, name }) => (
                      <th key={id} scope="col">
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {features.map((feature) => (
                    <FeatureRow
                      key={feature.feature}
                      feature={feature}
                      families={families}
                      isShown={feature.place !== null && feature.place === shown}
                      onShow={onShow}
                    />
                  ))}
                </tbody>
              </table>
            </section>
          )}
        </>
      )}
    </section>
  );
}

function FeatureRow({
  feature: { title, count, place, url, clients, message },
  families,
  isShown,
  onShow,
}: {
  readonly feature: Feature;
  readonly families: readonly Family[];
  readonly isShown: boolean;
  readonly onShow: (place: Place) => void;
}) {
  return (
    <tr>
      <th scope="row" title={harmlessLine(message, 400)}>
        {url === null || url === '' ? (
          <code>{harmlessLine(title, 80)}</code>
        ) : (
          <a href={url} target="_blank" rel="noreferrer noopener">
            <code>{harmlessLine(title, 80)}</code>
          </a>
        )}
      </th>
      <td>
        {place !== null && (
          <Button look="quiet" aria-pressed={isShown} onClick={() => onShow(place)}>
            line {place.line}
            {count > 1 ? ` and ${count - 1} more` : ''}
          </Button>
        )}
      </td>
      {families.map(({ id, name }) => (
        <td key={id} data-label={name}>
          <Cell clients={clients.filter((client) => familyOf(client) === id)} />
        </td>
      ))}
    </tr>
  );
}

/** Shows what the programs of a family make of a feature: the worst of them, and how many. */
function Cell({ clients }: { readonly clients: readonly Client[] }) {
  const worst = [...clients].sort((one, other) => WEIGHT[other.support] - WEIGHT[one.support])[0]?.support;
  if (worst === undefined)
    return (
      <span className="faint">
        <span aria-hidden="true">–</span>
        <span className="sr">not tested</span>
      </span>
    );
  const same = clients.filter(({ support }) => support === worst);
  const title = clients.map(({ name, support }) => `${name}: ${SAID[support]}`).join('\n');
  return (
    <span className={`support-${worst}`} title={title}>
      <span aria-hidden="true">
        {SIGNS[worst]} {same.length < clients.length && `${same.length}/${clients.length}`}
      </span>
      <span className="sr">
        {SAID[worst]}
        {same.length < clients.length &&
          ` in ${same.length} of ${clients.length}: ${same.map(({ name }) => name).join(', ')}`}
      </span>
    </span>
  );
}

interface Family {
  readonly id: string;
  readonly name: string;
}

function familiesOf(features: readonly Feature[]): readonly Family[] {
  const names = new Map<string, string>();
  for (const { clients } of features)
    for (const client of clients) {
      const name = (client.name.split(' (', 1)[0] ?? '').replace('.com', '');
      const known = names.get(familyOf(client));
      if (known === undefined || name.length < known.length) names.set(familyOf(client), name);
    }
  return [...names].map(([id, name]) => ({ id, name }));
}

function familyOf({ id }: Client): string {
  return id.slice(0, id.indexOf('.'));
}

/** A share is written so that only a whole one is 100 or 0. */
function percent(share: number): string {
  const rounded = Math.round(share);
  if (rounded === 100 && share < 100) return '99.9 %';
  if (rounded === 0 && share > 0) return 'under 1 %';
  return `${rounded} %`;
}
