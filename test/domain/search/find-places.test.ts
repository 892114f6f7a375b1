import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findPlaces, type ReceivedTexts } from '../../../src/domain/search/find-places.ts';
import { parseQuery } from '../../../src/domain/search/query.ts';
import { fold } from '../../../src/text/fold.ts';
import { propertyRuns } from '../../support/night.ts';

const TEXTS: Readonly<Record<string, readonly (string | null)[]>> = {
  from: ['Größe <shop@x.test>', 'bounce@x.test'],
  to: ['ada@x.test'],
  subject: ['Your  ORDER\tis  ready'],
  header: ['x-campaign: Spring  Sale', 'x-other: spring'],
  filename: [null, 'Rechnung März.pdf'],
};

function mailWith(...bodies: readonly string[]): ReceivedTexts {
  return { texts: (field) => TEXTS[field] ?? [], body: () => bodies.flatMap((body) => [body, null]) };
}

/** Returns the places as `field: snippet`, with brackets around the match. */
function placesOf(query: string, mail: ReceivedTexts): string[] {
  const steps = findPlaces(parseQuery(query), mail);
  for (let step = steps.next(); ; step = steps.next())
    if (step.done)
      return step.value.map(({ field, snippet, start, length }) => {
        const [end, match] = [start + length, snippet.slice(start, start + length)];
        return `${field}: ${snippet.slice(0, start)}[${match}]${snippet.slice(end)}`;
      });
}

const LONG = `${'Lorem ipsum dolor sit amet. '.repeat(1_000)}Ihr Code: ４８１\u00ad５１６, bitte. ${'Consetetur sadipscing. '.repeat(1_000)}`;

test.each<[string, readonly string[]]>([
  ['order', ['subject: Your [ORDER] is ready']],
  ['"your order is"', ['subject: [Your ORDER is] ready']],
  ['grösse', ['from: [Größe] <shop@x.test>']],
  ['from:BOUNCE', ['from: [bounce]@x.test']],
  ['filename:märz', ['filename: Rechnung [März].pdf']],
  ['header:X-Campaign', ['header: [x-campaign]: Spring Sale']],
  ['header:x-campaign="spring sale"', ['header: x-campaign: [Spring Sale]']],
  ['header:x-other=spring', ['header: x-other: [spring]']],
  [
    '481516',
    [
      'body: …Lorem ipsum dolor sit amet. Ihr Code: [４８１\u00ad５１６], bitte. ' +
        `${'Consetetur sadipscing. '.repeat(3)}Consetetur…`,
    ],
  ],
  ['body:html', ['body: in [HTML] alone']],
  [
    'order from:shop body:html',
    ['subject: Your [ORDER] is ready', 'from: Größe <[shop]@x.test>', 'body: in [HTML] alone'],
  ],
  ['order ORDER', ['subject: Your [ORDER] is ready']],
  ['!order has:code larger:1 to:ada', ['to: [ada]@x.test']],
  ['nowhere', []],
])('%s is found at %j', (query, places) => {
  expect(placesOf(query, mailWith(LONG, 'in  HTML\nalone'))).toEqual(places);
});

test('a match across pieces is found, and every place shows the text that was searched', () => {
  const text = fc.array(fc.constantFrom('ab', 'ß', ' ', '\n', 'e\u0301', '\u00ad', '😀', '中', 'İ', 'x'), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 9 }),
      fc.nat(),
      fc.integer({ min: 1, max: 6 }),
      (parts, size, from, words) => {
        const body = parts.join('');
        const wanted = fold(
          parts
            .slice(from % (parts.length + 1))
            .slice(0, words)
            .join(''),
        ).trim();
        if (wanted === '') return;
        const pieces = [...(body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []), null];
        const steps = findPlaces([{ kind: 'text', field: 'body', not: false, text: wanted }], {
          texts: () => [],
          body: () => pieces,
        });
        let step = steps.next();
        while (!step.done) step = steps.next();
        const [place] = step.value;
        expect(place === undefined).toBe(!fold(body).includes(wanted));
        if (place !== undefined)
          expect(fold(place.snippet.slice(place.start, place.start + place.length)).trim()).toContain(wanted);
      },
    ),
    { numRuns: propertyRuns(5_000) },
  );
});
