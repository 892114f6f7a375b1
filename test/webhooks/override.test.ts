import { expect, test } from 'vitest';
import { type Json, parseOverride, withOverrides } from '../../src/webhooks/sample.ts';

const BODY: Json = {
  id: 'evt',
  data: { object: { total: 1, paid: true, note: null, 'a.b': 'x', items: [{ id: 1 }] } },
};

function set(...texts: readonly string[]): Json {
  return withOverrides(BODY, texts.map(parseOverride));
}

test.each([
  ['data.object.total=999', { total: 999 }],
  ['data.object.paid=false', { paid: false }],
  ['data.object.note={"admin":true}', { note: '{"admin":true}' }],
  ['data.object.note:={"admin":true}', { note: { admin: true } }],
  ['data.object.total:="1"', { total: '1' }],
  ['data.object.fresh=a=b', { fresh: 'a=b' }],
  ['data.object.a\\.b=y', { 'a.b': 'y' }],
  ['data.object.items.0.id=7', { items: [{ id: 7 }] }],
  ['data.object.items.1:={"id":2}', { items: [{ id: 1 }, { id: 2 }] }],
])('%s sets one field, and a text never becomes structure', (text, wanted) => {
  expect(set(text)).toMatchObject({ id: 'evt', data: { object: wanted } });
});

test('fields keep their order, and the given body does not change', () => {
  const before = JSON.stringify(BODY);
  const changed = set('data.object.total=2', 'id=new');
  expect(JSON.stringify(changed)).toBe(before.replace('"total":1', '"total":2').replace('"evt"', '"new"'));
  expect(JSON.stringify(BODY)).toBe(before);
});

test('a field named __proto__ is a field, and changes no class', () => {
  const changed = set('__proto__:={"polluted":true}');
  expect(JSON.stringify(changed)).toContain('"__proto__":{"polluted":true}');
  expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  expect({}).not.toHaveProperty('polluted');
  expect(() => set('constructor.prototype.polluted=1')).toThrow('there is no field "constructor"');
});

test.each([
  ['total', 'is not path=text'],
  ['=x', 'is not path=text'],
  ['data..total=1', 'is not a path'],
  ['data.objekt.total=1', 'there is no field "objekt"; the fields are object'],
  ['id.deep=1', 'because the value is not an object'],
  ['data.object.items.5=1', '"5" is not an index of a list of 1'],
  ['data.object.items.x=1', '"x" is not an index of a list of 1'],
  ['data.object.total=many', 'is a number, but "many" is not'],
  ['data.object.paid=yes', 'is true or false'],
  ['id:=x', 'is not valid JSON'],
])('%s is refused', (text, sentence) => {
  expect(() => set(text)).toThrow(sentence);
});
