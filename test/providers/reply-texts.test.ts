import { expect, test } from 'vitest';
import { dividedAtSignature, withoutQuote, withoutQuotedHtml } from '../../src/providers/inbound/reply.ts';

test.for([
  ['nothing quoted', 'Yes.\n\nSee the list:', 'Yes.\n\nSee the list:'],
  ['a quote below', 'Yes.\n\nOn Fri, 27 Nov 2026 Ada wrote:\n> Shall we?\n', 'Yes.'],
  [
    'Gmail’s introduction in two lines',
    'Yes.\n\nOn Fri, Nov 27, 2026 at 2:31 AM Ada\n<ada@x.test> wrote:\n\n> Shall we?',
    'Yes.',
  ],
  [
    'a name that is broken',
    'Yes.\nOn Fri, Nov 27, 2026 at 2:31 AM Ada\nLovelace <ada@x.test> wrote:\n> Shall we?',
    'Yes.',
  ],
  ['the introduction of the web inbox', 'Yes.\n\nShop <shop@x.test> wrote:\n> Shall we?', 'Yes.'],
  ['another language', 'Ja.\n\nAm 27.11.2026 um 02:31 schrieb Ada:\n> Wollen wir?', 'Ja.'],
  ['a reply below the quote', '> Shall we?\n\nYes.', 'Yes.'],
  [
    'replies between quotes',
    '> Shall we?\nYes.\n> When?\nIt depends on this:\n> Where?\nHere.',
    'Yes.\nIt depends on this:\nHere.',
  ],
  ['Outlook', 'Yes.\r\n\r\n-----Original Message-----\r\nFrom: Ada', 'Yes.'],
  ['a quote alone', '> Shall we?', ''],
  ['Outlook’s header', 'Yes.\n\nFrom: Ada <ada@x.test>\nSent: Friday\nTo: Bob\nSubject: Hi\n\nShall we?', 'Yes.'],
  [
    'its header in bold, below a line',
    'Yes.\n________\n*Von:* Ada\n*Gesendet:* Freitag\n*An:* Bob\n\nWollen wir?',
    'Yes.',
  ],
  ['a quote without marks', 'Yes.\n\nOn 27 Nov 2026, at 2:31, Ada <a@x.test> wrote:\n\nShall we?\nAda', 'Yes.'],
  ['one in French', 'Oui.\n\nLe 27 nov. 2026 à 22:03, Ada <a@x.test> a écrit :\n\nOn y va ?', 'Oui.'],
  [
    'one whose sentence has three lines',
    'Yes.\n\nOn 27 Nov 2026, Ada <\nvery-long@x.test>\nwrote:\n\nShall we?',
    'Yes.',
  ],
  ['a date that begins the sentence', 'Ja.\n\n2026-11-27 11:28 GMT+03:00 Ada <\nada@x.test>:\n\n> Gut?', 'Ja.'],
  ['the quote of a phone', 'Yes.\n\n---- Ada wrote ----\n\nShall we?', 'Yes.'],
  [
    'a mail that is passed on',
    'FYI\n\n---- Forwarded message ----\nFrom: Ada\nDate: x\nTo: b\n\nHi',
    'FYI\n\n---- Forwarded message ----\nFrom: Ada\nDate: x\nTo: b\n\nHi',
  ],
  [
    'words of a mail that are no quote',
    'On 27 Nov 2026 we meet:\nTea\nFrom: the kitchen\nOn top.',
    'On 27 Nov 2026 we meet:\nTea\nFrom: the kitchen\nOn top.',
  ],
] as const)('of a reply with %s its own words are left', ([, text, own]) => {
  expect(withoutQuote(text)).toBe(own);
});

test('a huge quote takes no time', () => {
  const started = performance.now();
  expect(
    withoutQuote(`Yes.\n${'On 1 :\n> x\n'.repeat(10_000)}${'On 2026 '.repeat(50_000)}:\n> x`).startsWith('Yes.'),
  ).toBe(true);
  withoutQuote('On 27 Nov 2026 Ada wrote:\n> x\n'.repeat(100_000));
  const passedOn = `---- Forwarded message ----\n${'a\n'.repeat(300_000)}`;
  expect(withoutQuote(passedOn)).toBe(passedOn.trim());
  expect(performance.now() - started).toBeLessThan(10_000);
});

test.for([
  ['two dashes', 'Yes.\n--\nAda', 'Yes.', '--\nAda'],
  ['thanks', 'Yes.\n\nThanks!\nAda', 'Yes.', 'Thanks!\nAda'],
  ['a phone', 'Yes.\n\nSent from my iPhone', 'Yes.', 'Sent from my iPhone'],
  ['a name behind a dash', 'Yes.\n- Ada', 'Yes.', '- Ada'],
  ['another language', 'Ja.\n\nMit freundlichen Grüßen\nAda', 'Ja.', 'Mit freundlichen Grüßen\nAda'],
  ['none', 'Yes.\nThanks for the tea, I drank it.', 'Yes.\nThanks for the tea, I drank it.', ''],
  ['nothing else', 'Thanks', 'Thanks', ''],
  ['a list', 'Buy:\n- tea, green\n- milk, cold', 'Buy:\n- tea, green\n- milk, cold', ''],
] as const)('of a text with %s the signature stands apart', ([, text, said, signature]) => {
  expect(dividedAtSignature(text)).toEqual({ said, signature });
});

test.for([
  [
    'Gmail',
    '<p>Yes</p><div class="gmail_quote x">On<div>a</div><blockquote>b</blockquote></div><p>c</p>',
    '<p>Yes</p><p>c</p>',
  ],
  ['Thunderbird', 'Yes<div class="moz-cite-prefix">On:</div><blockquote type="cite"><p>a</blockquote>c', 'Yesc'],
  ['quotes in a quote', '<blockquote>a<BLOCKQUOTE>b</BLOCKQUOTE>c</blockquote >d', 'd'],
  ['a quote without an end', '<p>Yes</p><blockquote>a<p>b', '<p>Yes</p>'],
  ['a quote that its parent ends', '<div><blockquote>a</div>b<blockquote>c</blockquote>', '<div>b'],
  ['no quote', '<p title="</blockquote>">Yes<br>&amp;</p>', '<p title="</blockquote>">Yes<br>&amp;</p>'],
] as const)('of HTML with %s what is quoted is left out', ([, html, own]) => {
  expect(withoutQuotedHtml(html)).toBe(own);
});

test('HTML of very many quotes takes no time', () => {
  const started = performance.now();
  withoutQuotedHtml('<blockquote>a</blockquote>b'.repeat(10_000));
  withoutQuotedHtml('<blockquote>'.repeat(20_000));
  dividedAtSignature(`Yes\n${'- a\n'.repeat(10_000)}`);
  expect(performance.now() - started).toBeLessThan(8_000);
});
