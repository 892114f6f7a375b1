import type { LinkKind } from '../../src/extract/link-kinds.ts';

/** A mail of an app, and its links in order. */
export interface LinkMail {
  readonly name: string;
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly links: readonly (readonly [kind: LinkKind, url: string, tracker?: string])[];
}

const SECRET = 'eyJhbGciOi1IUzI1NiJ9';

export const MAILS_WITH_LINKS: readonly LinkMail[] = [
  {
    name: 'a sign-up with an entity in the address',
    html: `<a href="https://app.example.com/verify?email=a%40x.test&amp;token=${SECRET}">Verify your email</a>`,
    links: [['verify', `https://app.example.com/verify?email=a%40x.test&token=${SECRET}`]],
  },
  {
    name: 'a magic link in text',
    text: `Sign in to Example:\n\nhttps://example.com/auth/callback?token=${SECRET}\n\nIt works once.`,
    links: [['magic', `https://example.com/auth/callback?token=${SECRET}`]],
  },
  {
    name: 'a link to the sign-in page is no magic link',
    html: '<a href="https://example.com/login">Log in</a>',
    links: [['other', 'https://example.com/login']],
  },
  {
    name: 'a password reset beside a sign-in and an unsubscribe link',
    html: `<p><a href="https://example.com/r/${SECRET}">Reset password</a></p><p><a href="https://example.com/login">Sign in</a>
      | <a href="https://example.com/u/${SECRET}">Unsubscribe</a></p>`,
    links: [
      ['reset', `https://example.com/r/${SECRET}`],
      ['other', 'https://example.com/login'],
      ['unsubscribe', `https://example.com/u/${SECRET}`],
    ],
  },
  {
    name: 'an invitation',
    html: '<p>Grace invited you</p><a href="https://example.com/teams/7/accept?t=1"><b>Accept</b> invitation</a>',
    links: [['invite', 'https://example.com/teams/7/accept?t=1']],
  },
  {
    name: 'what is done stands in a parameter',
    text: 'https://x.supabase.co/auth/v1/verify?token=abc&type=recovery https://x.test/auth/action?mode=verifyEmail&oobCode=1',
    links: [
      ['reset', 'https://x.supabase.co/auth/v1/verify?token=abc&type=recovery'],
      ['verify', 'https://x.test/auth/action?mode=verifyEmail&oobCode=1'],
    ],
  },
  {
    name: 'tracked: the text tells, not the address of the counter',
    html: `<a href="https://u1.ct.sendgrid.net/ls/click?upn=${SECRET}">Confirm your account</a>
      <a href="https://click.example.com/track/unsubscribe?url=https%3A%2F%2Fexample.com%2Fblog">Blog</a>
      <a href="https://links.example.com/ls/click?upn=1">News</a>`,
    links: [
      ['verify', `https://u1.ct.sendgrid.net/ls/click?upn=${SECRET}`, 'SendGrid'],
      [
        'other',
        'https://click.example.com/track/unsubscribe?url=https%3A%2F%2Fexample.com%2Fblog',
        'the parameter url',
      ],
      ['other', 'https://links.example.com/ls/click?upn=1', 'SendGrid'],
    ],
  },
  {
    name: "an app's own redirect is no tracker",
    html: '<a href="https://example.com/verify?token=1&redirect_to=https://app.example.com/">Go</a>',
    links: [['verify', 'https://example.com/verify?token=1&redirect_to=https://app.example.com/']],
  },
  {
    name: 'the words before a link that says nothing itself',
    html: '<p>To stop receiving these mails, <a href="https://example.com/x1">click here</a>.</p>',
    links: [['unsubscribe', 'https://example.com/x1']],
  },
  {
    name: 'a link with a text of its own takes nothing from the words before it',
    html: '<p>Verify your email above.</p><p><a href="https://example.com/privacy">Privacy policy</a></p>',
    links: [['other', 'https://example.com/privacy']],
  },
  {
    name: 'a base address',
    html: '<head><base href="https://example.com/app/"></head><body><a href="confirm-email?t=1">Open</a><a href="//cdn.test/x">x</a></body>',
    links: [
      ['verify', 'https://example.com/app/confirm-email?t=1'],
      ['other', 'https://cdn.test/x'],
    ],
  },
  {
    name: 'a button that is an image',
    html: '<a href="https://example.com/a1"><img src="b.png" alt="Activate account"></a>',
    links: [['verify', 'https://example.com/a1']],
  },
  {
    name: 'attributes without quotes, in capitals, broken over lines',
    html: '<A\n  CLASS=x HREF=https://example.com/invite/9\n>Open</A>',
    links: [['invite', 'https://example.com/invite/9']],
  },
  {
    name: 'anything but http and https, and what is no address at all',
    html: '<a href="mailto:a@x.test">a</a><a href="tel:1">b</a><a href="javascript:alert(1)">c</a><a href="#top">d</a><a href="/x">e</a><a href="http://[">f</a><a>g</a>',
    links: [],
  },
  {
    name: 'links nobody sees',
    html: '<div style="display:none"><a href="https://example.com/trap">Verify</a></div><!-- <a href="https://example.com/old">Verify</a> --><a href="https://example.com/new">Verify</a>',
    links: [['verify', 'https://example.com/new']],
  },
  {
    name: 'the same link twice, in HTML and in text, counts once',
    html: '<a href="https://example.com/verify/1">Verify</a> or paste https://example.com/verify/1',
    text: 'Verify: https://example.com/verify/1',
    links: [['verify', 'https://example.com/verify/1']],
  },
  {
    name: 'an anchor that shows another address leads where it leads',
    html: '<a href="https://t.example.net/c/1?u=https://example.com/verify/1">https://example.com/verify/1</a>',
    links: [['other', 'https://t.example.net/c/1?u=https://example.com/verify/1', 'the parameter u']],
  },
  {
    name: 'the punctuation of a sentence',
    text: 'See https://example.com/a. Or (https://example.com/b_(c)), "https://example.com/d"! https://example.com/e?x=1;',
    links: [
      ['other', 'https://example.com/a'],
      ['other', 'https://example.com/b_(c)'],
      ['other', 'https://example.com/d'],
      ['other', 'https://example.com/e?x=1'],
    ],
  },
  {
    name: 'angle brackets, broken over a line',
    text: 'Reset your password <https://example.com/reset?\nt=1> now <https://example.com/a b>',
    links: [
      ['reset', 'https://example.com/reset?t=1'],
      ['other', 'https://example.com/a'],
    ],
  },
  {
    name: 'Japanese and Chinese without a space behind the address',
    text: '登録を確認する：https://example.com/c1をクリック。请点击https://example.com/c2，谢谢',
    links: [
      ['verify', 'https://example.com/c1'],
      ['other', 'https://example.com/c2'],
    ],
  },
  {
    name: 'other languages',
    html: `<a href="https://x.test/1">E-Mail-Adresse bestätigen</a><a href="https://x.test/2">Réinitialiser mon mot de passe</a>
      <a href="https://x.test/3">Darse de baja</a><a href="https://x.test/4">Aceitar convite</a><a href="https://x.test/5">Conferma email</a>
      <a href="https://x.test/6">Uitschrijven</a><a href="https://x.test/7">Zresetuj hasło</a><a href="https://x.test/8">Отписаться</a>
      <a href="https://x.test/9">E-postanı doğrula</a><a href="https://x.test/10">重置密码</a><a href="https://x.test/11">이메일 인증</a>
      <a href="https://x.test/12">إلغاء الاشتراك</a><a href="https://x.test/13">איפוס סיסמה</a>`,
    links: (
      'verify reset unsubscribe invite verify unsubscribe reset unsubscribe verify reset verify unsubscribe reset'.split(
        ' ',
      ) as LinkKind[]
    ).map((kind, index) => [kind, `https://x.test/${index + 1}`]),
  },
  {
    name: 'text made of HTML, with each address in brackets and the next sentence right behind one',
    text: `Verify [https://x.test/v/?key=${SECRET}&code=331984]If the button does not work, use this link:\n\nhttps://x.test/v/?key=${SECRET}&code=331984\n\n(https://x.test/wiki/A_(b))Bye`,
    links: [
      ['verify', `https://x.test/v/?key=${SECRET}&code=331984`],
      ['other', 'https://x.test/wiki/A_(b)'],
    ],
  },
  {
    name: 'a request to confirm in a mail about a new password, which names the site before',
    subject: 'Your Example password',
    text: `Someone requested a new password for your login at https://wiki.test/\n\nTo confirm that the request was sent by you, use this link:\n\nhttps://wiki.test/w/${SECRET}`,
    links: [
      ['other', 'https://wiki.test/'],
      ['reset', `https://wiki.test/w/${SECRET}`],
    ],
  },
  {
    name: 'a sentence before the last one on the line says what is reset',
    subject: 'Confirm changing the password',
    text: `We were asked to reset your password. Copy this link into your browser to log in with your new data: https://x.test/i/${SECRET}`,
    links: [['reset', `https://x.test/i/${SECRET}`]],
  },
  {
    name: 'an invitation that asks for a password again and again',
    subject: 'You have been invited to join Example',
    text: `An account was created for you. Set an account password:\n\nSet account password: https://x.test/register/invite/${SECRET}\n`,
    links: [['invite', `https://x.test/register/invite/${SECRET}`]],
  },
  {
    name: 'an address to confirm, on a path that many mails share',
    subject: 'Confirm your email',
    text: `Click the link below to confirm your email address:\n\nhttps://x.test/invite/Ab3?key=${SECRET}`,
    links: [['verify', `https://x.test/invite/Ab3?key=${SECRET}`]],
  },
  {
    name: 'accounts to unlock, in words and by the address',
    html: `<p>Ihr Konto wurde gesperrt. Um es zu entsperren und wieder zu aktivieren:</p><a href="https://x.test/1/${SECRET}">Konto entsperren</a>
      <p>Activa tu cuenta de nuevo:</p><a href="https://x.test/users/unlock?unlock_token=${SECRET}">Seguir</a>`,
    links: [
      ['other', `https://x.test/1/${SECRET}`],
      ['other', `https://x.test/users/unlock?unlock_token=${SECRET}`],
    ],
  },
  {
    name: 'addresses that tell alone, below sentences in a language without words',
    text: [
      ...['?entryPoint=changePassword&id=', '?do=resetPassword&pwauth=', '?userPasswordReset='],
      ...['?userEmailConfirm=', 'user/ada/confirm?confirm_string=', 'flows/verify_login_link?code='],
    ]
      .map((path) => `Jatiq'ux ukch'ana:\n\nhttps://x.test/${path}${SECRET}\n`)
      .join('\n'),
    links: [
      ['reset', `https://x.test/?entryPoint=changePassword&id=${SECRET}`],
      ['reset', `https://x.test/?do=resetPassword&pwauth=${SECRET}`],
      ['reset', `https://x.test/?userPasswordReset=${SECRET}`],
      ['verify', `https://x.test/?userEmailConfirm=${SECRET}`],
      ['verify', `https://x.test/user/ada/confirm?confirm_string=${SECRET}`],
      ['magic', `https://x.test/flows/verify_login_link?code=${SECRET}`],
    ],
  },
  {
    name: 'to sign up in a mail with an invitation accepts it, and to confirm the address does not',
    subject: 'Приглашение присоединиться к Acme',
    html: `<p>Чтобы зарегистрироваться, нажмите кнопку ниже.</p><p><a href="https://x.test/1/${SECRET}">Зарегистрироваться</a></p>
      <p><a href="https://x.test/2/${SECRET}">Подтвердите адрес электронной почты</a></p>`,
    links: [
      ['invite', `https://x.test/1/${SECRET}`],
      ['verify', `https://x.test/2/${SECRET}`],
    ],
  },
  {
    name: 'a word for "confirm" that also means "look at" needs a secret',
    html: `<a href="https://x.test/questions/1">Acmeで確認</a> <a href="https://x.test/1/${SECRET}">確認</a>`,
    links: [
      ['other', 'https://x.test/questions/1'],
      ['verify', `https://x.test/1/${SECRET}`],
    ],
  },
  {
    name: 'a bullet before an address leaves the line above as its label',
    text: `Choisissez un nouveau mot de passe :\n- https://x.test/1/${SECRET}\n`,
    links: [['reset', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'an escape that a template left does not hide the address behind it',
    html: `<p>Pour choisir un nouveau mot de passe :<br>\\n<a href="https://x.test/1/${SECRET}">https://x.test/1/${SECRET}</a></p>`,
    links: [['reset', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'the subject is not about a link below the signature',
    subject: 'Kim invited you to answer',
    html: `<a href="https://x.test/questions/1">How do I sort?</a><br>--<br>This is automatic.<br><a href="https://x.test/1/${SECRET}">Cancellazione</a>`,
    links: [
      ['other', 'https://x.test/questions/1'],
      ['other', `https://x.test/1/${SECRET}`],
    ],
  },
  {
    name: 'words in the spellings that their writers exchange',
    text: [
      ...['رابط أعاده تعيين كلمه المرور', 'ΕΠΑΛΗΘΕΥΣΗ ΤΗΣ ΔΙΕΥΘΥΝΣΗΣ EMAIL', 'فعال سازی حساب کاربری'],
      ...['Por favor, verifique su dirección de correo', '请点击链接启用您的邮箱账号'],
    ]
      .map((line, at) => `${line}:\nhttps://x.test/${at}/${SECRET}\n`)
      .join('\n'),
    links: [
      ['reset', `https://x.test/0/${SECRET}`],
      ...['1', '2', '3', '4'].map((at) => ['verify', `https://x.test/${at}/${SECRET}`] as const),
    ],
  },
  {
    name: 'to decline an invitation is not to accept it, and a button for both is',
    subject: 'Sie sind eingeladen',
    html: `<p>Kim hat Sie eingeladen.</p><a href="https://x.test/1/${SECRET}">Einladung annehmen</a>
      <a href="https://x.test/2/${SECRET}">Einladung ablehnen</a> <a href="https://x.test/3/${SECRET}">Einladung annehmen oder ablehnen</a>`,
    links: [
      ['invite', `https://x.test/1/${SECRET}`],
      ['other', `https://x.test/2/${SECRET}`],
      ['invite', `https://x.test/3/${SECRET}`],
    ],
  },
  {
    name: 'a word that invites in one language and requests in another',
    subject: 'Подтвердите запрос на изменение адреса электронной почты',
    html: `<p>Если вы отправили этот запрос, <a href="https://x.test/1/${SECRET}">подтвердите</a> его.</p>`,
    links: [['verify', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'a word that changes anything is not a new password',
    subject: 'Hesap e-posta değişiklik isteğini onayla',
    html: `<p>Birisi e-posta adresinizin değiştirilmesini talep etti.</p><a href="https://x.test/1/${SECRET}">Onaylayın</a>`,
    links: [['verify', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'a registration that asks for a password, in a word for it alone',
    subject: '계정 등록',
    text: `등록을 마치려면 아래의 URL을 방문하여 사용자 자신의 접근 비밀번호를 설정하십시오:\n\nhttps://x.test/1/${SECRET}\n`,
    links: [['verify', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'what is confirmed by a hash may be a new password',
    text: `Adgangskoden nulstillet\n\nNogen bad om at ændre adgangskoden gennem e-mail-verifikation:\n\nhttps://x.test/verify.php?id=1&confirm_hash=${SECRET}\n
Jatiq'ux ukch'ana:\n\nhttps://x.test/?confirm_hash=1${SECRET}\n`,
    links: [
      ['reset', `https://x.test/verify.php?id=1&confirm_hash=${SECRET}`],
      ['verify', `https://x.test/?confirm_hash=1${SECRET}`],
    ],
  },
  {
    name: 'to decline mail is to unsubscribe',
    html: `<a href="https://x.test/1/${SECRET}">Отказаться от рассылки</a> <a href="https://x.test/unsubscribe/${SECRET}">Отказаться</a>`,
    links: [
      ['unsubscribe', `https://x.test/1/${SECRET}`],
      ['unsubscribe', `https://x.test/unsubscribe/${SECRET}`],
    ],
  },
  {
    name: 'an invitation whose link, wherever it leads, sets the first password of the account',
    subject: 'Je bent uitgenodigd voor Example!',
    html: `<p>Er is een account voor je aangemaakt.</p><a href="https://x.test/1/${SECRET}">Wachtwoord kiezen</a>`,
    links: [['invite', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'an invitation beside the address of a reset',
    subject: 'You have been invited to join Example',
    html: `<a href="https://x.test/password/reset/${SECRET}">Reset your password</a>`,
    links: [['reset', `https://x.test/password/reset/${SECRET}`]],
  },
  {
    name: 'a link that signs in by the name of its token',
    subject: 'Log in to Example',
    text: `Follow this link to proceed: https://x.test/ada/settings/?log-in.id=4815&log-in.token=${SECRET}`,
    links: [['magic', `https://x.test/ada/settings/?log-in.id=4815&log-in.token=${SECRET}`]],
  },
  {
    name: 'an account to confirm in a sentence with a word that is also for an order',
    text: `Se este pedido foi feito por ti, clica na ligação para confirmares a tua conta:

https://x.test/1/${SECRET}
`,
    links: [['verify', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'an order that is confirmed, with a number of an account',
    text: `Your order is confirmed. Account 4815:

https://x.test/1/${SECRET}
`,
    links: [['other', `https://x.test/1/${SECRET}`]],
  },
  {
    name: 'sign-ups to look at',
    html: '<a href="https://x.test/registrations">View registrations</a>',
    links: [['other', 'https://x.test/registrations']],
  },
  {
    name: 'Odia and Assamese',
    html: `<a href="https://x.test/1/${SECRET}">ପାସୱାର୍ଡ଼ ରିସେଟ କରନ୍ତୁ</a> <a href="https://x.test/2/${SECRET}">ই-মেইল নিশ্চিত কৰক</a>`,
    links: [
      ['reset', `https://x.test/1/${SECRET}`],
      ['verify', `https://x.test/2/${SECRET}`],
    ],
  },
  {
    name: 'a code to revoke by a button, of which the text shows only the address',
    subject: 'Confirm your identity',
    text: `Reset your password if this was not you.

To revoke the code, click the link below:

https://x.test/revoke?id=${SECRET}
`,
    html: `<p>Reset your password if this was not you.</p><p>To revoke the code:</p><a href="https://x.test/revoke?id=${SECRET}">Revoke</a>`,
    links: [['other', `https://x.test/revoke?id=${SECRET}`]],
  },
];
