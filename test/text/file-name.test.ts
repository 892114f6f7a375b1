import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachmentFileName, numberedFileName, safeFileName } from '../../src/text/file-name.ts';
import { anyText } from '../support/any-text.ts';

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Windows\\letter.docx', 'letter.docx'],
  ['.bashrc', 'bashrc.txt'],
  ['-rf', 'rf'],
  ['..', 'attachment'],
  ['', 'attachment'],
  ['\u200b\u202e', 'attachment'],
  ['con.txt', '_con.txt'],
  ['con .txt', '_con .txt'],
  ['a\u0000b\nc.txt', 'a_b c.txt'],
  ['abc\u202efdp.exe.pdf', 'abcfdp.exe.pdf'],
  ['\u202e-rf', 'rf'],
  ['請求書.pdf', '請求書.pdf'],
  ['order.json', 'order.json'],
  ['profile.html', 'profile.html'],
])('an attachment called %j is saved as %j', (name, safe) => {
  expect(attachmentFileName(name)).toBe(safe);
});

test.each([
  'mailcap.config.js',
  'mailcap.config.json',
  'vite.config.ts',
  '.mailcap.config.json',
  'MAILCAP.CONFIG.JSON',
  'mailcap.config.j\u200bs',
  'mailcap.config.json.',
  'mailcap.config.j\u017fon',
  'package.json',
  'pac\u212aage.json',
  'tsconfig.build.json',
  'Makefile',
  'GNUmakefile',
  'Dockerfile.dev',
  '.npmrc',
  'login.test.ts',
  'conftest.py',
  'x_test.go',
  'Program.cs',
  'compose.yaml',
  'pyproject.toml',
  'pom.xml',
  'setup.exe',
  'CLAUDE.md',
])('an attachment called %j gets a name that no tool runs or reads', (name) => {
  expect(attachmentFileName(name)).toMatch(/[^.]\.txt$/);
});

test('a long name is cut by its bytes, between two characters, and keeps its extension', () => {
  expect(attachmentFileName(`${'é'.repeat(200)}.pdf`)).toBe(`${'é'.repeat(98)}.pdf`);
  expect(attachmentFileName('😀'.repeat(200))).toBe('😀'.repeat(50));
  expect(safeFileName(`1/2 ${'x'.repeat(5_000)}.pdf`, '')).toHaveLength(200);
  expect(safeFileName('Re: 1/2', '')).toBe('Re_ 1_2');
});

test('a number is added before the extension', () => {
  expect(numberedFileName('report.pdf', 2)).toBe('report (2).pdf');
  expect(numberedFileName('report', 3)).toBe('report (3)');
});

test('whatever an attachment is called, its name is one of the directory and short enough', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), (name) => {
      const safe = attachmentFileName(name);
      expect(safe).not.toMatch(/[/\\]|^[.-]|[. ]$/);
      expect(safe).not.toBe('');
      expect(Buffer.byteLength(numberedFileName(safe, 1_000))).toBeLessThanOrEqual(255);
    }),
  );
});
