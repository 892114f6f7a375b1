// Renders mails for test/corpus/rendered from the templates and the translations of packages of npm.
//
//     npm pack @keycloakify/email-native@260007.0.0 ...   (the README of that folder has the list)
//     unpack each into <packages>/<name>
//     node .build/corpus/render.js <packages>
//
// The templates and sentences are theirs. Every value that a test looks for (codes, links, names, numbers) is made here
// from a fixed seed, before anything is rendered, and no finder is asked.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { link, Project } from './project.js';

const packages = resolve(process.argv[2] ?? '.');
const require = createRequire(import.meta.url);
const HOST = 'id.example.test';

const escaped = (url) => url.replaceAll('&', '&amp;');
const tagOf = (language) =>
  ({
    zh_CN: 'zh-Hans',
    zh_TW: 'zh-Hant',
    no: 'nb',
    'zh-TW': 'zh-Hant',
    zhTw: 'zh-Hant',
    zh: 'zh-Hans',
    ua: 'uk',
    al: 'sq',
    by: 'be',
    kr_Latn_KR: 'ko',
    rs: 'sr',
    rsLatin: 'sr-Latn',
    bnBd: 'bn-BD',
    bnIn: 'bn-IN',
    kr: 'ko',
    kz: 'kk',
  })[language] ?? language.replace('_', '-');

function properties(path) {
  const found = new Map();
  for (const line of readFileSync(path, 'utf8')
    .replace(/\\\r?\n\s*/g, '')
    .split(/\r?\n/)) {
    const match = /^\s*([^#!=\s][^=]*?)\s*=\s?(.*)$/.exec(line);
    if (match === null) continue;
    const value = match[2].replace(/\\u([0-9a-fA-F]{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    found.set(match[1], value.replaceAll('\\n', '\n').replace(/\\(.)/g, '$1'));
  }
  return found;
}

/** Fills a message of Java: `{0}`, and `''` for an apostrophe. */
function filled(message, ...values) {
  return message.replaceAll("''", "'").replace(/\{(\d)\}/g, (_, index) => values[Number(index)] ?? '');
}

function keycloak() {
  const p = new Project('keycloak');
  const folder = join(packages, 'keycloakify-email-native-260007.0.0/keycloak-theme/email/messages');
  for (const file of readdirSync(folder).sort()) {
    const language = /^messages_(.+)\.properties$/.exec(file)[1];
    const messages = properties(join(folder, file));
    const english = properties(join(folder, 'messages_en.properties'));
    const has = (...keys) =>
      keys.every((key) => messages.has(key) && (language === 'en' || messages.get(key) !== english.get(key)));
    const minutes = filled(messages.get('linkExpirationFormatter.timePeriodUnit.minutes') ?? 'minutes').replace(
      /^.*[<|#]([^}]*)\}$/s,
      '$1',
    );
    const expires = `5 ${minutes}`;
    const say = (key, ...values) => filled(messages.get(key), ...values);
    const both = (key, ...values) => ({
      text: `${say(key, ...values)}\n`,
      html: `<html>\n<body>\n${say(`${key}Html`, ...values.map((value) => escaped(value)))}\n</body>\n</html>`,
    });
    const add = (subject, key, values, rest) => {
      if (has(key, `${key}Html`)) p.add({ language: tagOf(language), subject, ...both(key, ...values), ...rest });
    };
    const subject = (key, ...values) => filled(messages.get(key) ?? english.get(key), ...values);
    const action = () =>
      `https://${HOST}/realms/shop/login-actions/action-token?key=${p.random.jwt()}&client_id=account&tab_id=${p.random.token(11)}`;
    const code = p.random.digits();
    add(subject('emailVerificationSubject'), 'emailVerificationBodyCode', [code], { code });
    let url = action();
    add(subject('emailVerificationSubject'), 'emailVerificationBody', [url, '5', 'Shop', expires], {
      links: [link(url, 'verify')],
    });
    url = action();
    add(subject('passwordResetSubject'), 'passwordResetBody', [url, '5', 'Shop', expires], {
      links: [link(url, 'reset')],
    });
    url = action();
    add(subject('orgInviteSubject', 'Example Ltd'), 'orgInviteBody', [url, '5', 'Shop', 'Example Ltd', expires], {
      links: [link(url, 'invite')],
    });
    add(subject('eventLoginErrorSubject'), 'eventLoginErrorBody', ['20.11.2026 14:05:31', '203.0.113.77'], {});
  }
  p.save();
}

function jhipster() {
  const p = new Project('jhipster');
  const folder = join(
    packages,
    'generator-jhipster-8.11.0/dist/generators/languages/templates/src/main/resources/i18n',
  );
  for (const file of readdirSync(folder).sort()) {
    const language = /^messages_?(.*)\.properties\.ejs$/.exec(file)?.[1];
    if (!language) continue;
    const messages = properties(join(folder, file));
    const say = (key, ...values) => filled((messages.get(key) ?? '').replaceAll('<%= baseName %>', 'Shop'), ...values);
    for (const [key, path, kind, kept] of [
      ['activation', 'account/activate', 'verify', 4],
      ['reset', 'account/reset/finish', 'reset', 1],
    ]) {
      if (!messages.has(`email.${key}.text1`)) continue;
      const url = `https://${HOST}/${path}?key=${p.random.token(20)}`;
      const html = `<!doctype html>
<html>
<body>
<p>${say(`email.${key}.greeting`, p.random.name())}</p>
<p>${say(`email.${key}.text1`)}</p>
<p><a href="${url}">${url}</a></p>
<p><span>${say(`email.${key}.text2`)}</span><br/><em>${say('email.signature')}</em></p>
</body>
</html>`;
      if (kept > 0)
        p.add({ language: tagOf(language), subject: say(`email.${key}.title`), html, links: [link(url, kind)] });
    }
  }
  p.save();
}

function ghost() {
  const p = new Project('ghost');
  const emails = join(packages, 'ghost/core/server/services');
  const codes = require(join(emails, 'auth/session/emails/signin.js'));
  const links = require(join(emails, 'members/emails/signin.js'));
  const locales = join(packages, 'gi/package/locales');
  // The style sheet of the head has no part in it.
  const short = (html) =>
    html
      .replace(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/font-family:[^;"]*;?\s*/g, '')
      .replace(/<!--[\s\S]*?-->/g, '');
  let even = false;
  for (const language of readdirSync(locales).sort()) {
    const file = join(locales, language, 'ghost.json');
    if (!existsSync(file)) continue;
    const words = JSON.parse(readFileSync(file, 'utf8'));
    const t = (key, values = {}) => (words[key] || key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
    const shared = {
      t,
      siteTitle: 'Example Post',
      email: 'ada@example.test',
      siteDomain: 'post.example.test',
      siteUrl: 'https://post.example.test/',
    };
    const isTranslated = (key) => language === 'en' || Boolean(words[key]);
    if (isTranslated('For security verification, enter the code below to sign in to {siteTitle}:')) {
      const token = p.random.digits();
      const deviceDetails = {
        device: 'Firefox 142',
        location: 'Oslo, Norway (203.0.113.77)',
        time: '20 Nov 2026, 14:05 UTC',
      };
      const html = codes({
        ...shared,
        siteLogo: null,
        token,
        deviceDetails,
        is2FARequired: p.random.pick([true, false]),
      });
      p.add({
        language: tagOf(language),
        subject: `${token} ${t('is your Ghost sign in verification code').replace('Ghost', 'Example Post')}`.replace(
          `${token} is your Example Post sign in verification code`,
          t('Your verification code for {siteTitle}', shared),
        ),
        html: short(html),
        code: token,
      });
    }
    even = !even;
    if (even && isTranslated('Welcome back! Use this link to securely sign in to your {siteTitle} account:')) {
      const url = `https://post.example.test/members/?token=${p.random.token(32)}&action=signin&r=%2F`;
      p.add({
        language: tagOf(language),
        subject: t('Secure sign in link for {siteTitle}', shared),
        html: short(links({ ...shared, url: escaped(url) })),
        links: [link(url, 'magic')],
      });
    }
  }
  p.save();
}

async function payload() {
  const p = new Project('payload');
  const folder = join(packages, 'payloadcms-translations-3.90.2/dist/languages');
  for (const file of readdirSync(folder)
    .filter((name) => /^\w+\.js$/.test(name))
    .sort()) {
    const language = file.slice(0, -3);
    const all = await import(pathToFileURL(join(folder, file)).href);
    const words = Object.values(all).find((value) => value?.authentication ?? value?.translations?.authentication);
    const { authentication } = words.translations ?? words;
    const say = (key, values = {}) =>
      authentication[key].replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => values[name] ?? '');
    const server = `https://cms.example.test`;
    let url = `${server}/admin/users/verify/${p.random.token(40)}`;
    // Some translations have lost the place of the link.
    if (/\{\{\s*verificationURL/.test(authentication.newAccountCreated)) {
      const hasServer = /\{\{\s*serverURL/.test(authentication.newAccountCreated);
      p.add({
        language: tagOf(language),
        subject: say('verifyYourEmail'),
        html: say('newAccountCreated', { serverURL: server, verificationURL: url }),
        links: [link(url, 'verify'), ...(hasServer ? [link(server, 'other', false)] : [])],
      });
    }
    url = `${server}/admin/reset/${p.random.token(40)}`;
    p.add({
      language: tagOf(language),
      subject: say('resetYourPassword'),
      html: `${say('youAreReceivingResetPassword')}\n<a href="${url}">${url}</a>\n${say('youDidNotRequestPassword')}`,
      links: [link(url, 'reset')],
    });
  }
  p.save();
}

/** The ways in which apps lay out a sentence, a label and a code. */
const LAYOUTS = [
  ({ sentence, code, resend }) => ({ text: `${sentence}\n\n${code}\n\n${resend}\n` }),
  ({ sentence, label, code }) => ({ text: `${sentence}\n\n${label}: ${code}\n` }),
  ({ sentence, code, resend, url }) => ({
    html: `<h1>Example</h1><p>${sentence}</p><div style="font-size:32px;letter-spacing:6px">${code}</div><p><a href="${url}">${resend}</a></p><p>© 2026 Example Ltd, 1204 High Street, 90210 Exampletown</p>`,
  }),
  ({ title, sentence, label, code }) => ({
    html: `<table><tr><td><h2>${title}</h2></td></tr><tr><td>${sentence}</td></tr><tr><td>${label}</td><td><b>${code}</b></td></tr></table>`,
  }),
  ({ sentence, code }) => ({ text: `${sentence} ${code}\n` }),
  ({ sentence, label, code }) => ({
    text: `${sentence}\n\n    ${code}\n\nExample Ltd\n90210 Exampletown\n+1 800 555 0142\n`,
    html: `<p>${sentence}</p><p>${label}:<br><strong>${code}</strong></p><p>Example Ltd<br>90210 Exampletown<br>+1 800 555 0142</p>`,
  }),
];

/** Mails that are laid out here with the sentences, titles and labels of a form for codes. */
function laidOut(name, languages) {
  const p = new Project(name);
  let number = 0;
  for (const { language, title, sentence, label, resend } of languages) {
    const layout = LAYOUTS[number % LAYOUTS.length];
    const code =
      number % 4 === 3 ? p.random.letters(p.random.pick([6, 8])) : p.random.digits(p.random.pick([4, 6, 6, 6, 6, 8]));
    number++;
    const url = `https://${HOST}/resend/${p.random.token(24)}`;
    const mail = layout({ title, sentence, label, code, resend, url });
    p.add({
      language: tagOf(language),
      subject: title,
      ...mail,
      code,
      links: mail.html?.includes(url) ? [link(url, 'other')] : [],
    });
  }
  p.save();
}

function clerk() {
  const folder = join(packages, 'clerk-localizations-4.18.0/dist');
  const languages = [];
  for (const file of readdirSync(folder)
    .filter((name) => /^[a-z]{2}-[A-Z]{2}\.js$/.test(name))
    .sort()) {
    const language = file.slice(0, 5);
    if (/^es-(?!ES)|^en-(?!US)|^nl-BE/.test(language)) continue;
    const { signIn, signUp } = Object.values(require(join(folder, file)))[0];
    const say = (text) =>
      text
        ?.replace(/\{\{\s*applicationName[^}]*\}\}/g, 'Example')
        .replace(/\{\{\s*identifier[^}]*\}\}/g, 'ada@example.test');
    const form = signUp?.emailCode;
    if (form?.formSubtitle && form.formTitle && form.title && form.resendButton) {
      languages.push({
        language,
        title: say(form.title),
        sentence: say(form.formSubtitle),
        label: say(form.formTitle),
        resend: say(form.resendButton),
      });
    }
    const forgot = signIn?.forgotPassword;
    if (forgot?.subtitle_email && forgot.formTitle && forgot.title && forgot.resendButton) {
      languages.push({
        language,
        title: say(forgot.title),
        sentence: say(forgot.subtitle_email),
        label: say(forgot.formTitle),
        resend: say(forgot.resendButton),
      });
    }
  }
  laidOut('clerk', languages);
}

async function amplify() {
  const folder = join(packages, 'aws-amplify-ui-6.15.6/dist/esm/i18n/dictionaries/authenticator');
  const languages = [];
  for (const file of readdirSync(folder).sort()) {
    const language = file.slice(0, -4);
    if (language === 'defaultTexts') continue;
    const words = Object.values(await import(pathToFileURL(join(folder, file)).href))[0];
    const say = (key) => words[key];
    const sentence = say('Enter your Confirmation Code') ?? say('Enter your code');
    if (say('Confirmation Code') === undefined || sentence === undefined) continue;
    languages.push({
      language,
      title: say('We Emailed You') ?? say('Confirmation Code'),
      sentence,
      label: say('Confirmation Code'),
      resend: say('Resend Code') ?? '',
    });
  }
  laidOut('amplify', languages);
}

async function supertokens() {
  const p = new Project('supertokens');
  const read = (path) => readFileSync(join(packages, 'supertokens-node-24.0.3/lib/build/recipe', path), 'utf8');
  // Each template is one literal, taken out of its function so that no server has to run.
  const literal = (source, name, values) => {
    const from = source.indexOf(`function ${name}(`);
    const start = source.indexOf('`', from);
    const body = source.slice(start + 1, source.indexOf('`;', start));
    const html = body.replace(/\$\{(\w+)\}/g, (_, key) => values[key]);
    return html
      .replace(/<style[\s\S]*?<\/style>/g, '')
      .replace(/<!--[\s\S]*?-->/g, '')
      .replace(/\s*(?:mso|-ms|-webkit)[\w-]*:[^;"]*;?/g, '')
      .replace(/[ \t\r\n]+/g, ' ');
  };
  const login = read('passwordless/emaildelivery/services/smtp/passwordlessLogin.js');
  const url = `https://${HOST}/auth/verify?preAuthSessionId=${p.random.token(24)}#${p.random.token(40)}`;
  const shared = { appName: 'Example', email: 'ada@example.test', codeLifetime: '15 minutes', urlWithLinkCode: url };
  for (const [name, withCode, withLink] of [
    ['getPasswordlessLoginOTPBody', true, false],
    ['getPasswordlessLoginURLLinkBody', false, true],
    ['getPasswordlessLoginOTPAndURLLinkBody', true, true],
  ]) {
    const code = withCode ? p.random.digits() : null;
    p.add({
      language: 'en',
      subject: 'Login to your account',
      html: literal(login, name, { ...shared, userInputCode: code }),
      code,
      links: withLink ? [link(url, 'magic')] : [],
    });
  }
  p.save();
}

async function authjs() {
  const p = new Project('authjs');
  const { html, text } = await import(pathToFileURL(join(packages, 'auth-core-0.41.3/lib/utils/email.js')).href);
  const url = `https://${HOST}/api/auth/callback/nodemailer?callbackUrl=https%3A%2F%2F${HOST}&token=${p.random.token(64)}&email=ada%40example.test`;
  p.add({
    language: 'en',
    subject: `Sign in to ${HOST}`,
    html: html({ url: escaped(url), host: HOST, theme: {} }),
    text: text({ url, host: HOST }),
    links: [link(url, 'magic')],
  });
  p.save();
}

for (const project of [keycloak, jhipster, ghost, payload, clerk, amplify, supertokens, authjs]) await project();
