import { afterEach, expect, test, vi } from 'vitest';
import { sendingVariables, smtpVariables } from '../../plugins/shared/environment.ts';

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

test('the SDKs of providers find the server, but for those of AWS if the project has an emulator', () => {
  const url = 'http://127.0.0.1:8025';
  const found = () =>
    Object.fromEntries(
      Object.entries(sendingVariables(url, 'smtp://127.0.0.1:2525')).filter(([, to]) => to.startsWith('http')),
    );
  vi.stubEnv('AWS_ENDPOINT_URL', '');
  expect(found()).toEqual({
    RESEND_BASE_URL: `${url}/providers/resend/`,
    RESEND_API_URL: `${url}/providers/resend`,
    AWS_ENDPOINT_URL_SES: `${url}/providers/ses`,
    AWS_ENDPOINT_URL_SESV2: `${url}/providers/ses`,
    AWS_ENDPOINT_URL_SNS: `${url}/providers/sns`,
  });
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
  expect(found()).toEqual({
    RESEND_BASE_URL: `${url}/providers/resend/`,
    RESEND_API_URL: `${url}/providers/resend`,
  });
});
