import { expect, test } from 'vitest';
import { authenticatorsOf } from '../../../ui/web/mail/addresses.ts';

const named = (name: string, label: string | null = null) => ({ name, label });

test.each([
  ['its address in the name', named('Shop (ada@inbox.mailcap.example.com)'), true],
  ['its address in the label', named('Shop', 'Shop:ada@inbox.mailcap.example.com'), true],
  ['its address in other letters', named('ADA@inbox.mailcap.example.com'), true],
  ['another address', named('Shop', 'Shop:grace@inbox.mailcap.example.com'), false],
  ['a longer address', named('Shop', 'canada@inbox.mailcap.example.com'), false],
  ['no address', named('ada'), false],
])('an authenticator with %s belongs to the account of a mail: %o, %s', (_case, authenticator, belongs) => {
  const found = authenticatorsOf([authenticator], ['Ada@inbox.mailcap.example.com']);
  expect(found).toEqual(belongs ? [authenticator] : []);
});
