import { type FocusPlace, keyName, WEB_KEYS } from '../../model/keys.ts';

const PLACES: readonly { readonly title: string; readonly places: readonly FocusPlace[] }[] = [
  { title: 'Everywhere', places: ['page'] },
  { title: 'The list', places: ['messages'] },
  { title: 'A message', places: ['message'] },
  { title: 'Two side by side', places: ['compare'] },
  { title: 'Webhooks', places: ['requests', 'request'] },
];

/** Lists all keys of the key table. */
export function Help() {
  // A key of several places is told at the first of them.
  const told = new Set<string>();
  const said = ({ keys, help }: (typeof WEB_KEYS)[number]) => `${keys.join()} ${help}`;
  return (
    <div className="help-groups">
      {PLACES.map(({ title, places }) => {
        const rows = WEB_KEYS.filter(
          (row) => !told.has(said(row)) && row.keys.length > 0 && places.some((place) => row.in.includes(place)),
        );
        for (const row of rows) told.add(said(row));
        return (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(({ keys, help }) => (
                <div key={help + keys.join()}>
                  <dt>
                    {keys
                      .filter((key) => !key.startsWith('meta-'))
                      .map((key) => (
                        <kbd key={key}>
                          {keyName(key)
                            .replace('ctrl-', 'ctrl ')
                            .replace('shift-down', 'shift ↓')
                            .replace('shift-up', 'shift ↑')}
                        </kbd>
                      ))}
                  </dt>
                  <dd>{help}</dd>
                </div>
              ))}
            </dl>
          </section>
        );
      })}
    </div>
  );
}
