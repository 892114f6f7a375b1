import type { Configuration } from './configurations.ts';

const COLUMNS = [
  ['off', '`off`'],
  ['auto', '`auto`'],
  ['on', '`on`'],
  ['trusted', '`on`, trusted'],
] as const;

/** Returns the page that lists which clients deliver mail, from the names that arrived in each mode. */
export function tableOf(rows: readonly Configuration[], came: Readonly<Record<string, ReadonlySet<string>>>): string {
  const count = (some: readonly Configuration[], mode: string) =>
    `${some.filter(({ name }) => came[mode]?.has(name)).length} of ${some.length}`;
  const counts = (some: readonly Configuration[]) => COLUMNS.map(([mode]) => count(some, mode)).join(' | ');
  const insists = rows.filter(({ wantsTls }) => wantsTls);
  const others = rows.filter(({ wantsTls }) => !wantsTls);
  return `# Mail clients

Each of these ${rows.length} configurations sent one mail to a real server, at \`localhost\`, in four ways: with \`--starttls off\`, with \`auto\` (the default),
with \`on\`, and with \`on\` after the client was configured to trust the server's certificate, as [docs/tls.md](../../docs/tls.md) shows. The lists say with which of these the mail arrived.
The programs are in \`test/clients\`. \`MAIL_CLIENTS=all npx vitest run test/clients/table.test.ts\` writes this page.

| | ${COLUMNS.map(([, title]) => title).join(' | ')} |
| --- | ${COLUMNS.map(() => '---').join(' | ')} |
| clients that work without TLS if the server does not offer it | ${counts(others)} |
| clients that were configured to require TLS | ${counts(insists)} |
| all | ${counts(rows)} |

## Clients that work without TLS if the server does not offer it

${byOutcome(others, came)}

## Clients that were configured to require TLS

Clients that begin with TLS use \`--smtps-port\`. The others stop if the server does not offer STARTTLS, or if they do not trust the certificate.

${byOutcome(insists, came)}
`;
}

/** Lists configurations that deliver in the same modes together, and those of one client in one item. */
function byOutcome(rows: readonly Configuration[], came: Readonly<Record<string, ReadonlySet<string>>>): string {
  const outcomes = new Map<string, Map<string, string[]>>();
  for (const { name, client, settings } of rows) {
    const modes = COLUMNS.filter(([mode]) => came[mode]?.has(name)).map(([, title]) => title);
    const outcome = modes.length === 0 ? 'In none of these ways' : `With ${modes.join('; ')}`;
    const clients = outcomes.get(outcome) ?? new Map<string, string[]>();
    outcomes.set(outcome, clients.set(client, [...(clients.get(client) ?? []), settings]));
  }
  return [...outcomes]
    .map(([outcome, clients]) => {
      const items = [...clients].map(([client, settings]) => `- ${client}: ${settings.join('; ')}`);
      return [`**${outcome}:**`, '', ...items].join('\n');
    })
    .join('\n\n');
}
