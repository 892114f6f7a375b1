import { afterEach, expect, test, vi } from 'vitest';
import { smtpVariables } from '../../plugins/shared/environment.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['smtp://127.0.0.1:2525', { MAILCAP_SMTP_HOST: '127.0.0.1', MAILCAP_SMTP_PORT: '2525' }],
  ['smtp://mail.test:25?ignoreTLS=true', { MAILCAP_SMTP_HOST: 'mail.test', MAILCAP_SMTP_PORT: '25' }],
  ['smtp://[::1]:2525', { MAILCAP_SMTP_HOST: '::1', MAILCAP_SMTP_PORT: '2525' }],
])('%s is announced with its host and its port', (url, parts) => {
  vi.stubEnv('MAILCAP_SMTP_URL', '');
  expect(smtpVariables(url)).toEqual({ MAILCAP_SMTP_URL: url, ...parts });
});

test('host and port come from the SMTP URL if that is set', () => {
  vi.stubEnv('MAILCAP_SMTP_URL', 'smtp://mailcap:1025');
  expect(smtpVariables('smtp://127.0.0.1:2525')).toMatchObject({
    MAILCAP_SMTP_HOST: 'mailcap',
    MAILCAP_SMTP_PORT: '1025',
  });
});

test.each(['127.0.0.1:1025', 'localhost:1025', 'smtp://mailcap'])('%s has no host and port', (set) => {
  vi.stubEnv('MAILCAP_SMTP_URL', set);
  expect(Object.keys(smtpVariables('smtp://127.0.0.1:2525'))).toEqual(['MAILCAP_SMTP_URL']);
});
