import { PROVIDER_LINES } from '../../../src/text/provider-lines.ts';

/** The addresses of a server, as the `info` endpoint returns them. */
export interface ServerAddresses {
  readonly url: string;
  readonly apiUrl: string;
  readonly smtpHost: string;
  readonly smtpPort: number;
  readonly smtpUrl: string;
  readonly webhookBaseUrl: string;
  readonly mailDomain: string;
  readonly workspaceId: string;
}

export interface SettingsSnippet {
  readonly id: string;
  readonly name: string;
  /** The file or the place where the user pastes the snippet. */
  readonly where: string;
  readonly text: string;
}

/** Returns settings for this server, ready to paste. */
export function pasteableSettings(server: ServerAddresses): readonly SettingsSnippet[] {
  const { smtpHost: host, smtpPort: port, url } = server;
  return [
    {
      id: 'env',
      name: 'Environment',
      where: '.env',
      text: [
        `MAILCAP_URL=${url}`,
        `MAILCAP_SMTP_URL=${server.smtpUrl}`,
        `MAILCAP_SMTP_HOST=${host}`,
        `MAILCAP_SMTP_PORT=${port}`,
        `MAILCAP_MAIL_DOMAIN=${server.mailDomain}`,
        `MAILCAP_WEBHOOK_BASE_URL=${server.webhookBaseUrl}`,
        `MAILCAP_WORKSPACE_ID=${server.workspaceId}`,
      ].join('\n'),
    },
    {
      id: 'nodemailer',
      name: 'Node (nodemailer)',
      where: 'where the app creates the transport',
      text: `const transport = nodemailer.createTransport({\n  host: '${host}',\n  port: ${port},\n  secure: false,\n});`,
    },
    {
      id: 'django',
      name: 'Django',
      where: 'settings.py',
      text: `EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"\nEMAIL_HOST = "${host}"\nEMAIL_PORT = ${port}\nEMAIL_USE_TLS = False`,
    },
    {
      id: 'rails',
      name: 'Rails',
      where: 'config/environments/development.rb',
      text: `config.action_mailer.delivery_method = :smtp\nconfig.action_mailer.smtp_settings = { address: "${host}", port: ${port} }`,
    },
    {
      id: 'laravel',
      name: 'Laravel',
      where: '.env',
      text: `MAIL_MAILER=smtp\nMAIL_HOST=${host}\nMAIL_PORT=${port}\nMAIL_USERNAME=null\nMAIL_PASSWORD=null\nMAIL_ENCRYPTION=null`,
    },
    {
      id: 'spring',
      name: 'Spring Boot',
      where: 'application.properties',
      text: `spring.mail.host=${host}\nspring.mail.port=${port}\nspring.mail.properties.mail.smtp.auth=false`,
    },
    {
      id: 'php',
      name: 'PHP mail()',
      where: 'php.ini',
      text: 'sendmail_path = "npx mailcap sendmail -t -i"',
    },
    ...PROVIDER_LINES.map(({ id, name, where, line }) => ({ id, name, where, text: line(url) })),
    {
      id: 'playwright',
      name: 'Playwright',
      where: 'a test',
      text: [
        `import { expect, test } from 'mailcap/playwright';`,
        '',
        `test('sign up', async ({ page, mailbox }) => {`,
        `  await page.goto('/sign-up');`,
        `  await page.getByLabel('Email').fill(mailbox.address);`,
        `  await page.getByRole('button', { name: 'Sign up' }).click();`,
        `  await page.getByLabel('Code').fill(await mailbox.waitForCode());`,
        '});',
      ].join('\n'),
    },
    {
      id: 'vitest',
      name: 'Vitest',
      where: 'a test',
      text: [
        `import { expect } from 'vitest';`,
        `import { test } from 'mailcap/vitest';`,
        '',
        `test('a welcome mail goes out', async ({ mailbox }) => {`,
        '  await signUp(mailbox.address);',
        `  await expect(mailbox).toHaveReceived({ subject: 'Welcome' });`,
        '});',
      ].join('\n'),
    },
    {
      id: 'docker',
      name: 'Docker Compose',
      where: 'compose.yaml',
      text: [
        'services:',
        '  mailcap:',
        '    build: ../mailcap # a checkout of mailcap',
        '    ports: ["8025:8025", "1025:1025"]',
        '    volumes: ["mailcap:/data"]',
        '  app:',
        '    environment:',
        '      SMTP_HOST: mailcap',
        '      SMTP_PORT: 1025',
        'volumes: { mailcap: {} }',
      ].join('\n'),
    },
  ];
}

/** Returns commands that send a first mail without an app. */
export function firstMail({ url, smtpHost, smtpPort, mailDomain }: ServerAddresses): readonly SettingsSnippet[] {
  const to = `hello@inbox.${mailDomain}`;
  const text = `From: you@example.com\\nTo: ${to}\\nSubject: Hello\\n\\nYour code is 481516.\\n`;
  return [
    {
      id: 'sendmail',
      name: 'npx',
      where: 'a terminal',
      text: `printf '${text}' | npx mailcap sendmail -t`,
    },
    {
      id: 'curl',
      name: 'curl',
      where: 'a terminal',
      text: `printf '${text}' | curl -s --url smtp://${smtpHost}:${smtpPort} --mail-from you@example.com --mail-rcpt ${to} -T -`,
    },
    {
      id: 'settings',
      name: 'Your app',
      where: 'its SMTP settings',
      text: `host  ${smtpHost}\nport  ${smtpPort}\nTLS   off\nuser  none\n\nThen send to anything@inbox.${mailDomain}, or to any other address.\nThe mail appears here: ${url}`,
    },
  ];
}
