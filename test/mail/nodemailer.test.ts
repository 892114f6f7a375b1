import { createRequire } from 'node:module';
import addressparser from 'nodemailer/lib/addressparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import MimeNode from 'nodemailer/lib/mime-node';
import SMTPPool from 'nodemailer/lib/smtp-pool';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const OURS = require('../../package.json').dependencies;

test('nodemailer is pinned, because its modules that are loaded by path may move in any release', () => {
  expect(OURS.nodemailer).toMatch(/^\d+\.\d+\.\d+$/);
  expect(require('nodemailer/package.json').version).toBe(OURS.nodemailer);
});

test('smtp-server pins the same nodemailer, so that an install has it once', () => {
  expect(require('smtp-server/package.json').dependencies.nodemailer).toBe(OURS.nodemailer);
});

test('the modules that are loaded by path are there: if this fails, read their changes before raising the pin', () => {
  expect(addressparser('"Ada" <ada@x.test>')).toEqual([{ address: 'ada@x.test', name: 'Ada' }]);
  expect(new MimeNode('text/plain').setHeader('x-test', '1').buildHeaders()).toContain('X-Test: 1');
  expect(new MailComposer({ text: 'x' }).compile().getEnvelope()).toEqual({ from: false, to: [] });
  expect(new SMTPPool({ maxConnections: 1 }).close).toBeTypeOf('function');
});
