import { expect, test } from 'vitest';
import { normalDomain, parseEnvelopeAddress } from '../../src/domain/address.ts';
import { labelBelow, subdomainOf } from '../../src/domain/routing.ts';

test.each([
  ['user@shop.mailcap.example.com', 'shop'],
  ['user+tag@shop.mailcap.example.com', 'shop'],
  ['USER@SHOP.MailCap.Example.Com', 'shop'],
  ['"quoted @ local"@shop.mailcap.example.com', 'shop'],
  ['üser@shop.mailcap.example.com', 'shop'],
  ['user@shop.mailcap.example.com.', 'shop'],
  ['user@bücher.mailcap.example.com', 'xn--bcher-kva'],
  // No mailbox has this address.
  ['user@mailcap.example.com', null],
  ['user@a.b.mailcap.example.com', null],
  ['user@shopmailcap.example.com', null],
  ['user@shop.mailcap.example.com.evil.example', null],
  ['user@[127.0.0.1]', null],
])('%s goes to the mailbox %s', (recipient, subdomain) => {
  const address = parseEnvelopeAddress(recipient);
  expect(address === null ? null : subdomainOf(address, 'mailcap.example.com')).toBe(subdomain);
});

test.each([
  ['shop.mailcap.example.com', 'shop'],
  ['news.shop.mailcap.example.com', 'shop'],
  ['a.b.shop.mailcap.example.com', 'shop'],
  ['mailcap.example.com.mailcap.example.com', 'com'],
  ['mailcap.example.com', null],
  ['.mailcap.example.com', null],
  ['shopmailcap.example.com', null],
  ['shop.mailcap.example.com.example', null],
])('%s is under the subdomain %s', (domain, label) => {
  expect(labelBelow(domain, 'mailcap.example.com')).toBe(label);
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
