/** How the SDK of a provider of mail or text messages is told to send to a server. */
export interface ProviderLine {
  readonly id: string;
  readonly name: string;
  /** Where the documentation tells more. */
  readonly page: string;
  /** The packages of npm that send by the provider. */
  readonly packages: readonly string[];
  /** Where the line belongs. */
  readonly where: string;
  /** Returns the line for the server at a URL. */
  line(url: string): string;
}

const AFTER = 'where the app creates the client';
const ENVIRONMENT = '.env';

export const PROVIDER_LINES: readonly ProviderLine[] = [
  {
    id: 'resend',
    name: 'Resend',
    page: 'providers#resend',
    packages: ['resend'],
    where: ENVIRONMENT,
    line: (url) => `RESEND_BASE_URL=${url}/providers/resend/`,
  },
  {
    id: 'sendgrid',
    name: 'SendGrid',
    page: 'providers#sendgrid',
    packages: ['@sendgrid/mail'],
    where: 'after setApiKey',
    line: (url) => `sgMail.client.setDefaultRequest('baseUrl', '${url}/providers/sendgrid/');`,
  },
  {
    id: 'postmark',
    name: 'Postmark',
    page: 'providers#postmark',
    packages: ['postmark'],
    where: AFTER,
    line: (url) =>
      `new ServerClient('any', { useHttps: false, requestHost: '${new URL(url).host}/providers/postmark' });`,
  },
  {
    id: 'mailgun',
    name: 'Mailgun',
    page: 'providers#mailgun',
    packages: ['mailgun.js'],
    where: AFTER,
    line: (url) => `new Mailgun(FormData).client({ username: 'api', key: 'any', url: '${url}/providers/mailgun' });`,
  },
  {
    id: 'ses',
    name: 'Amazon SES',
    page: 'providers#amazon-ses',
    packages: ['@aws-sdk/client-sesv2', '@aws-sdk/client-ses'],
    where: ENVIRONMENT,
    line: (url) => `AWS_ENDPOINT_URL_SESV2=${url}/providers/ses\nAWS_ENDPOINT_URL_SES=${url}/providers/ses`,
  },
  {
    id: 'brevo',
    name: 'Brevo',
    page: 'providers#brevo',
    packages: ['@getbrevo/brevo'],
    where: AFTER,
    line: (url) => `new BrevoClient({ apiKey: 'any', baseUrl: '${url}/providers/brevo/v3' });`,
  },
  {
    id: 'mailersend',
    name: 'MailerSend',
    page: 'providers#mailersend',
    packages: ['mailersend'],
    where: AFTER,
    line: (url) => `client.email.baseUrl = '${url}/providers/mailersend/v1';`,
  },
  {
    id: 'mailtrap',
    name: 'Mailtrap',
    page: 'providers#mailtrap',
    packages: ['mailtrap'],
    where: AFTER,
    // Its SDK has no option for the address, and the lines for it are longer than a hint.
    line: (url) => `// Requests have to go to ${url}/providers/mailtrap: npx mailcap docs providers#mailtrap`,
  },
  {
    id: 'customerio',
    name: 'Customer.io',
    page: 'providers#customerio',
    packages: ['customerio-node'],
    where: AFTER,
    line: (url) => `new APIClient('any', { url: '${url}/providers/customerio/v1' });`,
  },
  {
    id: 'twilio',
    name: 'Twilio',
    page: 'text-messages#twilio',
    packages: ['twilio'],
    where: AFTER,
    line: (url) => `client.api.baseUrl = client.verify.baseUrl = '${url}/providers/twilio';`,
  },
  {
    id: 'sns',
    name: 'Amazon SNS',
    page: 'text-messages#amazon-sns',
    packages: ['@aws-sdk/client-sns'],
    where: ENVIRONMENT,
    line: (url) => `AWS_ENDPOINT_URL_SNS=${url}/providers/sns`,
  },
  {
    id: 'vonage',
    name: 'Vonage',
    page: 'text-messages#vonage',
    packages: ['@vonage/server-sdk'],
    where: AFTER,
    line: (url) => `new Vonage({ apiKey: 'any', apiSecret: 'any' }, { restHost: '${url}/providers/vonage' });`,
  },
];

/** Returns the variables by which SDKs of providers find the server at a URL (docs/providers.md). */
export function providerVariables(url: string): Readonly<Record<string, string>> {
  const ses = `${url}/providers/ses`;
  return {
    // Its SDK for Go needs the slash at the end, and no other minds it.
    RESEND_BASE_URL: `${url}/providers/resend/`,
    // The one for Python reads this name.
    RESEND_API_URL: `${url}/providers/resend`,
    AWS_ENDPOINT_URL_SES: ses,
    AWS_ENDPOINT_URL_SESV2: ses,
    AWS_ENDPOINT_URL_SNS: `${url}/providers/sns`,
  };
}
