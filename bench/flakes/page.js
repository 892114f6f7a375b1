import { number, percentile } from '../statistics.js';

const NAMES = { mailcap: 'mailcap', maildev: 'MailDev', mailpit: 'Mailpit' };

/** Returns the page with the figures of all batches. */
export function page({ batches, machine, options, note }) {
  const names = [...new Set(batches.map(({ name }) => name))];
  return [
    '# Flakes',
    '',
    'How often a test of mail fails for no fault of the app. Each attempt is a test of its own. It takes an address that no other',
    'test has. The app mails a code and a link to it by SMTP, while the test already waits. The test takes both from the mail.',
    '',
    '| | attempts | failed | rate | a test, p50 | p99 | its wait, p50 | p99 | all of them |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...names.map((name) =>
      row(
        name,
        batches.filter((batch) => batch.name === name),
      ),
    ),
    '',
    '## Method',
    '',
    `- ${options.workers} workers of Playwright, retries off, beside ${options.burners} ${options.burners === 1 ? 'process that burns a core' : 'processes that burn a core each'}.`,
    `- Batches of ${number(options.batch)} attempts, each a run of Playwright with a server that nobody used before. The servers take turns.`,
    '- mailcap: the fixture `mailbox`, `waitForMessage`, `code()` and `link()`, with `mailcap dev --ephemeral --limits off`.',
    `- MailDev and Mailpit, with the settings they come with: the list, or the search for the address, every ${options.poll} ms, regular expressions, and the deletion of the message.`,
    '- A wait gives up after 10 s, a test after 30 s. A wait is the time from the start of the sending to the mail in hand. All of them is the time of the whole runs, start of the workers included.',
    `- \`node bench/flakes/run.js\` measures again. Measured ${span(batches)}.`,
    ...(note === undefined ? [] : [`- ${note}`]),
    '',
    '## Machine',
    '',
    ...machine.map((fact) => `- ${fact}`),
    ...failuresOf(batches),
    '',
  ].join('\n');
}

function row(name, batches) {
  const sum = (of) => batches.reduce((total, batch) => total + of(batch), 0);
  const ms = batches.flatMap((batch) => batch.ms);
  const waited = batches.flatMap((batch) => batch.waitedMs).filter((one) => one !== null);
  const failed = sum(({ failures }) => failures.length);
  const tell = (values, p) => (values.length === 0 ? '' : `${number(percentile(values, p))} ms`);
  const cells = [
    NAMES[name],
    number(ms.length),
    number(failed),
    `${number((failed / ms.length) * 100, 3)} %`,
    ...[tell(ms, 50), tell(ms, 99), tell(waited, 50), tell(waited, 99)],
    `${number(sum(({ seconds }) => seconds) / 60, 1)} min`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function span(batches) {
  const days = batches.map(({ at }) => at.slice(0, 10));
  return days[0] === days.at(-1) ? `on ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`;
}

/** Lists what failed: each message once, with its number. */
function failuresOf(batches) {
  const counts = new Map();
  for (const { name, failures } of batches) {
    for (const { error } of failures) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: Playwright colours its messages
      const first = `${NAMES[name]}: ${(error ?? 'no message').replace(/\u001b\[[0-9;]*m/g, '').split('\n')[0]}`;
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return [];
  return ['', '## What failed', '', ...[...counts].map(([message, count]) => `- ${number(count)} × ${message}`)];
}
