import { expect, test } from 'vitest';
import { normalDomain, parseEnvelopeAddress } from '../../src/domain/address.ts';
import { labelBelow, subdomainOf } from '../../src/domain/routing.ts';

test.each([
  ['user@shop.mailcap.test', 'shop'],
  ['user+tag@shop.mailcap.test', 'shop'],
  ['USER@SHOP.MailCap.Test', 'shop'],
  ['"quoted @ local"@shop.mailcap.test', 'shop'],
  ['üser@shop.mailcap.test', 'shop'],
  ['user@shop.mailcap.test.', 'shop'],
  ['user@bücher.mailcap.test', 'xn--bcher-kva'],
  // No mailbox has this address.
  ['user@mailcap.test', null],
  ['user@a.b.mailcap.test', null],
  ['user@shopmailcap.test', null],
  ['user@shop.mailcap.test.evil.example', null],
  ['user@[127.0.0.1]', null],
])('%s goes to the mailbox %s', (recipient, subdomain) => {
  const address = parseEnvelopeAddress(recipient);
  expect(address === null ? null : subdomainOf(address, 'mailcap.test')).toBe(subdomain);
});

test.each([
  ['shop.mailcap.test', 'shop'],
  ['news.shop.mailcap.test', 'shop'],
  ['a.b.shop.mailcap.test', 'shop'],
  ['mailcap.test.mailcap.test', 'test'],
  ['mailcap.test', null],
  ['.mailcap.test', null],
  ['shopmailcap.test', null],
  ['shop.mailcap.test.example', null],
])('%s is under the subdomain %s', (domain, label) => {
  expect(labelBelow(domain, 'mailcap.test')).toBe(label);
});

test.each(['', 'user', 'user@', 'user@exa mple', 'user@ä ö'])('%j is no envelope address', (text) => {
  expect(parseEnvelopeAddress(text)).toBeNull();
});

test.each([
  ['Example.COM', 'example.com'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example.', 'xn--bcher-kva.example'],
  ['[IPv6:::1]', '[ipv6:::1]'],
])('the domain %s is compared as %s', (domain, normal) => {
  expect(normalDomain(domain)).toBe(normal);
});
