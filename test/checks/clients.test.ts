import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { featuresBySlug } from '../../src/checks/clients/features.ts';
import { LOSSY, UNNOTICED } from '../../src/checks/clients/lossy.ts';
import { CLIENT_DATA, clientsNamed } from '../../src/checks/clients/named.ts';
import { check, documentOf, mailOfHtml, rulesOf } from './mails.ts';

const TEMPLATES = join(import.meta.dirname, '..', 'corpus', 'templates');

test('the data has a letter of each client for each feature, and every feature that a rule names', () => {
  const clients = clientsNamed(['all']) ?? [];
  expect(featuresBySlug().size).toBeGreaterThan(300);
  for (const { slug, support } of featuresBySlug().values())
    expect(`${slug} ${support}`).toMatch(new RegExp(`^${slug} [yanu-]{${clients.length}}$`));
  for (const slug of [...LOSSY, ...UNNOTICED]) expect([slug, featuresBySlug().has(slug)]).toEqual([slug, true]);
  expect(CLIENT_DATA.date).toMatch(/^20\d\d-\d\d-\d\d$/);
});

test('a client is named by its family or alone, in any case, and `all` names every client', () => {
  expect(clientsNamed(['Outlook.Windows', 'hey'])).toEqual(['outlook.windows', 'hey.desktop-webmail']);
  expect(clientsNamed(['gmail'])).toHaveLength(4);
  expect(clientsNamed([])).toContain('apple-mail.ios');
  expect(clientsNamed([])).not.toContain('outlook.windows-mail');
  expect(clientsNamed(['gmail', 'nobody'])).toBeNull();
});

describe('features', () => {
  test.each([
    ['<div style="display:flex">x</div>', 'client-support:css-display-flex'],
    ['<div style="display: inline-grid">x</div>', 'client-support:css-display-grid'],
    ['<div style="position:absolute">x</div>', 'client-support:css-position'],
    ['<div style="color: var(--c)">x</div>', 'client-support:css-variables'],
    ['<form></form>', 'client-support:html-form'],
    ['<svg></svg>', 'client-support:html-svg'],
    ['<img alt="x" src="https://a.example/x.webp?v=1">', 'client-support:image-webp'],
    ['<img alt="x" src="data:image/png;base64,AAAA">', 'client-support:image-base64'],
    ['<link rel="stylesheet" href="https://a.example/x.css">', 'client-support:html-link'],
    ['<div style="border-radius: 3px">x</div>', '~client-support:css-border-radius'],
    ['<style>@media (max-width: 9px) { div { display: flex } }</style>', '~client-support:css-display-flex'],
    ['<p style="color: red; color: var(--c)">x</p>', '~client-support:css-variables'],
    ['<style>a:hover { color: #00f }</style>', '~client-support:css-pseudo-class-hover'],
    ['<style>a { b { color: red } }</style>', 'client-support:css-nesting'],
  ])('%s uses %s', async (html, rule) => {
    expect(await rulesOf(mailOfHtml(documentOf(html)), ['all'])).toContain(rule);
  });

  test.each([
    '<div style="position:relative">x</div>',
    '<link rel="stylesheet" href="https://fonts.googleapis.com/css?family=Ubuntu">',
    '<p class="a" id="b" role="note" aria-label="x">x</p>',
  ])('%s uses none that clients lack', async (html) => {
    expect(await rulesOf(mailOfHtml(documentOf(html)), ['all'])).toEqual([]);
  });

  test('a finding has its place in the HTML, the clients and the page about it', async () => {
    const html = documentOf('<p>\n  <b style="color:red; display:flex">x</b></p>');
    const { findings } = await check(mailOfHtml(html), ['outlook.windows', 'apple-mail']);
    const [flex] = findings.filter(({ detail }) => detail === 'css-display-flex');
    expect(flex).toMatchObject({
      severity: 'warning',
      message: 'display:flex is not supported by 1 of 3 clients: Outlook (Windows).',
      clients: ['outlook.windows'],
      url: 'https://www.caniemail.com/features/css-display-flex/',
      place: { part: 'html', line: 2, column: 24, excerpt: 'display:flex' },
    });
    expect(html.slice(flex?.place?.start, flex?.place?.end)).toBe('display:flex');
  });

  test('what a conditional comment hides from Outlook on Windows does not count for it', async () => {
    const flex = '<div style="display:flex">x</div>';
    const hidden = documentOf(`<!--[if !mso]><!-->${flex}<!--<![endif]-->`);
    const shown = documentOf(`<!--[if !mso]><!--><p>x</p><!--<![endif]-->${flex}`);
    expect(await rulesOf(mailOfHtml(hidden), ['outlook.windows'])).toEqual([]);
    expect(await rulesOf(mailOfHtml(shown), ['outlook.windows'])).toEqual(['client-support:css-display-flex']);
  });
});

/** The findings that count, of what template libraries write, for the clients of most readers. */
const OF_TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  'foundation-marketing.html': [
    'placeholder',
    'link-empty',
    'dummy-text',
    'image-alt',
    'link-name',
    'table-role',
    'text-missing',
    'unsubscribe-missing',
  ],
  'foundation-newsletter.html': [
    'link-empty',
    'dummy-text',
    'image-alt',
    'table-role',
    'text-missing',
    'unsubscribe-missing',
  ],
  'foundation-order.html': ['dummy-text', 'table-role', 'text-missing'],
  'foundation-password.html': ['link-empty', 'image-alt', 'table-role', 'text-missing', 'unsubscribe-missing'],
  'foundation-welcome.html': ['link-empty', 'dummy-text', 'image-alt', 'table-role', 'text-missing'],
  'mjml-interactive.html': ['lang', 'text-missing'],
  'mjml-newsletter.html': ['contrast', 'text-missing', 'unsubscribe-missing'],
  'react-email-code.html': ['contrast', 'text-missing'],
  'react-email-invite.html': ['image-alt', 'text-missing'],
};

test.each(readdirSync(TEMPLATES).filter((name) => name.endsWith('.html')))(
  'the findings of the template %s are what its reader would notice',
  async (name) => {
    const { findings } = await check(mailOfHtml(readFileSync(join(TEMPLATES, name), 'utf8'), ''));
    const counting = findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule);
    expect([...new Set(counting)]).toEqual(OF_TEMPLATES[name]);
  },
);
