import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { byDay } from '../support/night.ts';
import { blocksOf } from '../support/pages.ts';
import { has, runs } from '../support/programs.ts';
import { serverIn } from '../support/server-in.ts';
import { prepare, python } from './programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const exec = promisify(execFile);

/**
 * A function that turns a snippet into a program, and the command that runs it. The command is null if the runtime is
 * missing.
 */
interface Runner {
  readonly file: string;
  readonly subject: string;
  program(snippet: string): string;
  command(): Promise<readonly [string, ...string[]] | null>;
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  nodemailer: {
    file: 'app.mjs',
    subject: 'Nodemailer',
    program: (snippet) => snippet,
    command: async () => [process.execPath],
  },
  django: {
    file: 'app.py',
    subject: 'Django',
    program: (snippet) =>
      `${snippet}
from django.conf import settings
settings.configure(**{k: v for k, v in dict(globals()).items() if k.startswith("EMAIL_")})
from django.core.mail import send_mail
send_mail("Django", "Hello.", "app@example.com", ["ada@example.com"])`,
    command: async () => (has('python3') ? [await python()] : null),
  },
  flask: {
    file: 'app.py',
    subject: 'Flask',
    program: (snippet) => snippet,
    command: async () => (has('python3') ? [await python()] : null),
  },
  rails: {
    file: 'app.rb',
    subject: 'Rails',
    program: (snippet) =>
      `require 'mail'
require 'ostruct'
config = OpenStruct.new(action_mailer: OpenStruct.new)
${snippet}
mail = Mail.new(from: 'app@example.com', to: 'ada@example.com', subject: 'Rails', body: 'Hello.')
mail.delivery_method(config.action_mailer.delivery_method, config.action_mailer.smtp_settings)
mail.deliver!`,
    command: async () => (runs('ruby', ['-e', "require 'mail'"]) ? ['ruby'] : null),
  },
  laravel: {
    file: 'app.php',
    subject: 'Laravel',
    program: (snippet) => `<?php
require 'Symfony/Component/Mailer/autoload.php';
function env($name, $default) { return getenv($name) ?: $default; }
$config = [${snippet}];
$transport = Symfony\\Component\\Mailer\\Transport::fromDsn($config['mailers']['smtp']['url']);
$mail = (new Symfony\\Component\\Mime\\Email())->from('app@example.com')->to('ada@example.com')->subject('Laravel')->text('Hello.');
(new Symfony\\Component\\Mailer\\Mailer($transport))->send($mail);`,
    command: async () =>
      runs('php', ['-r', "require 'Symfony/Component/Mailer/autoload.php';"])
        ? ['php', '-d', 'error_reporting=0']
        : null,
  },
  spring: {
    file: 'App.java',
    subject: 'Spring',
    program: (snippet) => `import java.io.StringReader;
import java.util.Properties;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSenderImpl;
import org.springframework.util.PropertyPlaceholderHelper;
public class App {
  public static void main(String[] args) throws Exception {
    var settings = new Properties();
    settings.load(new StringReader(${JSON.stringify(snippet)}));
    var resolver = new PropertyPlaceholderHelper("\${", "}", ":", false);
    var sender = new JavaMailSenderImpl();
    sender.setHost(resolver.replacePlaceholders(settings.getProperty("spring.mail.host"), System::getenv));
    sender.setPort(Integer.parseInt(resolver.replacePlaceholders(settings.getProperty("spring.mail.port"), System::getenv)));
    var mail = new SimpleMailMessage();
    mail.setFrom("app@example.com");
    mail.setTo("ada@example.com");
    mail.setSubject("Spring");
    mail.setText("Hello.");
    sender.send(mail);
  }
}`,
    // Maven downloads for minutes, so this runs only with the table of clients.
    command: async () => {
      const java = process.env['MAIL_CLIENTS'] ? await prepare('java') : null;
      return java === null ? null : ['java', '-cp', java.command[2] ?? ''];
    },
  },
  go: {
    file: 'app.go',
    subject: 'Go',
    program: (snippet) => snippet,
    command: async () => (has('go') ? ['go', 'run'] : null),
  },
};

let blocks: ReturnType<typeof blocksOf>;
beforeAll(async () => {
  blocks = blocksOf(await readFile(join(ROOT, 'docs', 'send-mail.md'), 'utf8'));
});

describe('docs/send-mail.md', () => {
  test('has a test here for each of its blocks', () => {
    expect(blocks.map(({ mark }) => mark).sort()).toEqual(['env', ...Object.keys(RUNNERS)].sort());
  });

  // By day two languages that install nothing. Go compiles its standard library for a minute.
  test.for(byDay(Object.entries(RUNNERS), ([mark]) => mark === 'nodemailer' || mark === 'rails'))(
    'its block %s delivers with what `mailcap env` prints',
    { timeout: 180_000 },
    async ([mark, runner], context) => {
      const words = await runner.command();
      if (words === null) return context.skip(`${mark}: its runtime is not installed`);
      const cwd = await temporaryDirectory();
      await mkdir(join(cwd, 'node_modules'));
      await symlink(join(ROOT, 'node_modules', 'nodemailer'), join(cwd, 'node_modules', 'nodemailer'));
      const { url, apiKey, mailboxId } = await serverIn(cwd, { limits: 'off' });
      const printed = (await command(['env'], { cwd })).stdout;
      const variables = Object.fromEntries(
        printed
          .trim()
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const snippet = blocks.find((block) => block.mark === mark)?.text ?? '';
      await writeFile(join(cwd, runner.file), runner.program(snippet));
      const [program, ...args] = words;
      await exec(program, [...args, runner.file], { cwd, env: { ...process.env, ...variables }, timeout: 90_000 });
      const headers = { Authorization: `Bearer ${apiKey}` };
      const listed = await fetch(`${url}/v1/mailboxes/${mailboxId}/messages`, { headers });
      expect(await listed.json()).toMatchObject([{ subject: runner.subject }]);
    },
  );
});

describe('docs/tls.md', () => {
  test('curl and Nodemailer trust the TLS port at localhost and at 127.0.0.1 after what its block sets', async (context) => {
    if (!has('curl')) return context.skip('curl is not installed here');
    const page = blocksOf(await readFile(join(ROOT, 'docs', 'tls.md'), 'utf8'));
    expect(page.map(({ mark }) => mark)).toEqual(['tls', 'java']);
    const cwd = await temporaryDirectory();
    const { ready } = await serverIn(cwd, { ephemeral: false, limits: 'off', smtpsPort: 0 });
    const { url, apiKey, mailboxId, smtpsUrl, smtpCa } = ready;
    expect(smtpCa).toBe(join(cwd, '.mailcap', 'tls.pem'));
    const port = new URL(smtpsUrl ?? '').port;
    const send = `printf 'Subject: curl\\r\\n\\r\\nHello.\\r\\n' | curl -sS "smtps://$host:${port}" --mail-from a@x.test --mail-rcpt b@x.test --upload-file -`;
    const program = join(ROOT, 'test', 'clients', 'node.mjs');
    const sendByNode = `HOST=$host PORT=0 TLS_PORT=${port} MODULES=/ ${process.execPath} ${program} nodemailer-secure | grep -P '\\tok$'`;
    const script = `set -euo pipefail\n${page[0]?.text}\nfor host in localhost 127.0.0.1; do ${send}; ${sendByNode}; done`;
    // If these variables are set, curl ignores SSL_CERT_FILE.
    const { CURL_CA_BUNDLE: _bundle, SSL_CERT_DIR: _directory, ...env } = process.env;
    await exec('bash', ['-c', script], { cwd, env });
    const headers = { Authorization: `Bearer ${apiKey}` };
    const listed = await fetch(`${url}/v1/mailboxes/${mailboxId}/messages`, { headers });
    expect(await listed.json()).toHaveLength(4);
  });

  test('Java trusts it after what its block sets', { timeout: 180_000 }, async (context) => {
    // Maven downloads for minutes, so this runs only with the table of clients.
    const java = process.env['MAIL_CLIENTS'] ? await prepare('java') : null;
    if (java === null || !has('keytool')) return context.skip('Java was not asked for');
    const page = blocksOf(await readFile(join(ROOT, 'docs', 'tls.md'), 'utf8'));
    const cwd = await temporaryDirectory();
    const { smtpsUrl, smtpPort } = (await serverIn(cwd, { ephemeral: false, limits: 'off', smtpsPort: 0 })).ready;
    const addresses = { HOST: 'localhost', PORT: String(smtpPort), TLS_PORT: new URL(smtpsUrl ?? '').port };
    const send = java.command.map((word) => `'${word}'`).join(' ');
    const script = `set -euo pipefail\n${page[1]?.text}\n${send} jakarta-ssl | grep -P '\\tok$'`;
    await exec('bash', ['-c', script], { cwd, env: { ...process.env, ...addresses } });
  });
});
