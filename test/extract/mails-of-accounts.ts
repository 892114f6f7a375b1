/** A complete mail of a real product, and the code and the link that a test must get without a hint. */
export interface WholeMail {
  readonly name: string;
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  /** The code as it is written. Null: the mail has none. A list: these are equally likely. Omitted: not checked. */
  readonly code?: string | null | readonly string[];
  /** The link to follow. Null: there is none, or no one is more likely. Omitted: not checked. */
  readonly link?: string | null;
}

const S = 'https://app.example.com';

/** Mails about sign-in, sign-up, second factors and passwords. */
export const MAILS_OF_ACCOUNTS: readonly WholeMail[] = [
  {
    name: 'a sign-in from a new device, with what device it was',
    subject: '[Hub] Please verify your device',
    text: `Hey ada!

A sign in attempt requires further verification because we did not recognize your device. To complete the sign in, enter the verification code on the unrecognized device.

Device: Firefox 133 on macOS 15.1
Verification code: 482193

If you did not attempt to sign in to your account, your password may be compromised. Visit ${S}/settings/security to create a new, strong password.

Thanks,
The Hub Team`,
    code: '482193',
  },
  {
    name: 'a code in a paragraph of its own, the address in brackets before it',
    subject: 'Example Verification Code',
    html: `<table width="100%"><tr><td><h2>Example Verification Code</h2><p>Dear user,</p>
      <p>The verification code you need to access your Example Account (<a href="mailto:ada1815@example.com">ada1815@example.com</a>) is:</p>
      <p style="text-align:center;font-size:24px"><strong dir="ltr">739201</strong></p>
      <p>If you did not request this code, it is possible that someone else is trying to access your account.</p>
      <p style="color:#777777">&copy; 2026 Example Inc., 1600 Amphitheatre Parkway, Mountain View, CA 94043, USA</p></td></tr></table>`,
    code: '739201',
  },
  {
    name: 'a security code of seven digits in cells of a table',
    subject: 'Personal account security code',
    html: `<table><tr><td>Personal account</td></tr><tr><td>Security code</td></tr>
      <tr><td>Please use the following security code for the personal account <a href="mailto:ad**5@example.com">ad**5@example.com</a>.</td></tr>
      <tr><td>Security code: <span style="font-weight:bold">4820193</span></td></tr>
      <tr><td>If you don't recognize the account, you can <a href="${S}/account/unlink?t=Ab3">click here</a> to remove your email address from it.</td></tr>
      <tr><td>One Example Way, Redmond, WA 98052</td></tr></table>`,
    code: '4820193',
  },
  {
    name: 'a code of letters and digits with a hyphen, in the subject too',
    subject: 'Chat confirmation code: K7P-Q2M',
    html: `<h1>Confirm your email address</h1><p>Your confirmation code is below &mdash; enter it in your open browser window and we'll help you get signed in.</p>
      <div style="background:#f5f4f5;padding:43px 23px"><div style="font-size:30px">K7P-Q2M</div></div>
      <p>If you didn't request this email, there's nothing to worry about, you can safely ignore it.</p>
      <a href="https://chat.example.com/help">Help center</a> <a href="https://chat.example.com/email-preferences">Email preferences</a>
      <p>&copy;2026 Chat Technologies, LLC, 500 Howard Street, San Francisco, CA 94105</p>`,
    code: 'K7P-Q2M',
  },
  {
    name: 'a magic link, or a code of small letters',
    subject: 'Your login code for Tasks',
    html: `<h1>Your login code for Tasks</h1><a href="https://tasks.example.com/auth/email-link/9b1deb4d3b7d" style="background:#5e6ad2">Login to Tasks</a>
      <p>This link and code will only be valid for the next 5 minutes. If the link does not work, you can use the login verification code directly:</p>
      <code style="font-size:21px">wfk2d-q9zpm</code>`,
    code: 'wfk2d-q9zpm',
    link: 'https://tasks.example.com/auth/email-link/9b1deb4d3b7d',
  },
  {
    name: 'a guard code of five signs alone on its line',
    subject: 'Your Game account: Access from new computer',
    text: `Dear adalove1815,

Here is the Guard code you need to login to account adalove1815:

R7K2Q

This email was generated because of a login attempt from a computer located at 203.0.113.7 (DE). The login attempt included your correct account name and password.

The Guard code is required to complete the login. No one can access your account without also accessing this email.

The Game Support Team
https://help.game.example.com`,
    code: 'R7K2Q',
  },
  {
    name: 'a code with a hidden preheader that has an older one and a filler of empty signs',
    subject: 'Sign in to Acme',
    html: `<div style="display:none;max-height:0;overflow:hidden">Your code 111222 has been replaced &#8199;&#847; &#8199;&#847; &#8199;&#847;</div>
      <p>To verify your identity, please use the following code:</p><p style="font-size:28px">739201</p>
      <p>Acme takes your account security very seriously. Acme will never email you and ask you to disclose your password, credit card, or banking account number.</p>`,
    code: '739201',
  },
  {
    name: 'the light and the dark code are one',
    subject: 'Your sign-in code',
    html: `<style>.dark{display:none} @media (prefers-color-scheme: dark){.light{display:none!important}.dark{display:block!important}}</style>
      <p>Your sign-in code</p><div class="light"><h1 style="color:#111111">829 104</h1></div>
      <!--[if !mso]><!--><div class="dark" style="display:none"><h1 style="color:#eeeeee">829 104</h1></div><!--<![endif]-->
      <!--[if mso]><p>Outlook 2019</p><![endif]--><p>Expires at 15:04 UTC.</p>`,
    code: '829 104',
  },
  {
    name: 'a log-in link and a code for it, as a hosted service sends them',
    subject: 'Your Magic Link',
    html: `<h2>Magic Link</h2><p>Follow this link to login:</p><p><a href="https://abc.supabase.co/auth/v1/verify?token=pkce_71f&amp;type=magiclink&amp;redirect_to=http://localhost:3000">Log In</a></p>
      <p>Alternatively, enter the code: 829104</p>`,
    code: '829104',
    link: 'https://abc.supabase.co/auth/v1/verify?token=pkce_71f&type=magiclink&redirect_to=http://localhost:3000',
  },
  {
    name: 'the code stands first in the subject, and where it was asked for behind it',
    subject: '839204 is your Acme verification code',
    text: `Verification code

Enter the following verification code when prompted:

839204

To protect your account, do not share this code.

Didn't request this?
This code was requested from 203.0.113.7, San Francisco, CA at 19 November 2026, 15:04 UTC. If you didn't make this request, you can safely ignore this email.`,
    code: '839204',
  },
  {
    name: 'security words to compare, and a button to click',
    subject: 'Acme Sign-in Verification',
    html: `<h1>Verify your email to log on to Acme</h1><p>We have received a login attempt with the following code:</p><p><b>Lively Indri</b></p>
      <p>To complete the login process, please click the button below:</p><a href="https://acme.example.com/confirm?email=a%40x.test&amp;token=Zk3">VERIFY</a>
      <p>Or copy and paste this URL into a new tab of your browser:</p><a href="https://acme.example.com/confirm?email=a%40x.test&amp;token=Zk3">https://acme.example.com/confirm?email=a%40x.test&amp;token=Zk3</a>`,
    code: null,
    link: 'https://acme.example.com/confirm?email=a%40x.test&token=Zk3',
  },
  {
    name: 'how long it holds in brackets, a postal code with its second half in the footer',
    subject: 'Cloud Email Verification',
    html: `<div>Verify your email address</div><div>Thanks for starting the new account creation process. Please enter the following verification code when prompted.</div>
      <div><div>Verification code</div><div style="font-size:36px;font-weight:bold">048213</div><div>(This code is valid for 10 minutes)</div></div>
      <div>This message was produced and distributed by Cloud, Inc., 410 Terry Ave. North, Seattle, WA 98109-5210. All rights reserved.</div>`,
    code: '048213',
  },
  {
    name: 'a one-time password of eight digits',
    subject: 'OTP for logging in to your account: ada1815',
    text: `Hi ada1815!

Your OTP for logging in to your account is: 48201934

This OTP is valid for 10 minutes. Do not share it with anyone.

Node v20.20.0, 2026-11-21T04:52:06Z, request 7f3a-91bc`,
    code: '48201934',
  },
  {
    name: 'ten recovery codes',
    subject: 'Your recovery codes',
    text: `Recovery codes can be used to access your account in the event you lose your device.

a1b2c-3d4e5
f6a7b-8c9d0
1e2f3-a4b5c

Keep them as safe as your password.`,
    code: ['a1b2c-3d4e5', 'f6a7b-8c9d0', '1e2f3-a4b5c'],
  },
  {
    name: 'a password to reset, and no code',
    subject: 'Reset your password',
    html: `<table><tr><td><a href="${S}"><img src="${S}/logo-481516.png" alt="Acme"></a></td></tr><tr><td>Hi Ada, somebody asked to reset the password of your account 48151623.</td></tr>
      <tr><td><a href="${S}/password/edit?reset_password_token=Xy12">Change my password</a></td></tr><tr><td>Questions? <a href="https://help.example.com">Visit our help center</a>.</td></tr></table>`,
    code: null,
    link: `${S}/password/edit?reset_password_token=Xy12`,
  },
  {
    name: 'a password that was changed: how to undo it',
    subject: 'Your password was changed',
    html: `<p>The password of your account was changed on Nov 21, 2026 at 04:52.</p><p>If this was you, there is nothing to do.</p>
      <p>If not, <a href="${S}/reset?t=9f">reset your password</a> at once.</p>`,
    code: null,
    link: `${S}/reset?t=9f`,
  },
  {
    name: 'each digit of the code in a cell of its own',
    subject: 'Confirm your e-mail',
    html: `<p>Enter this code to confirm your e-mail address:</p><table><tr><td style="border:1px solid">4</td><td>8</td><td>2</td><td>1</td><td>9</td><td>3</td></tr></table>
      <p>The code expires in 30 minutes.</p>`,
    code: '482193',
  },
  {
    name: 'a German code, and until when it holds',
    subject: 'Ihr Bestätigungscode',
    text: `Guten Tag Ada Lovelace,

Ihr Bestätigungscode lautet: 739201

Der Code ist bis 21.11.2026, 15:30 Uhr gültig. Bei Fragen erreichen Sie uns unter 030 1234567.

Beispiel GmbH, Musterstraße 12, 10117 Berlin, HRB 123456`,
    code: '739201',
  },
  {
    name: 'a Japanese code',
    subject: '【サンプル】認証コードのお知らせ',
    text: 'サンプルをご利用いただきありがとうございます。\n\n認証コード:739201\n\n有効期限は10分です。お問い合わせ:0120-123-456',
    code: '739201',
  },
  {
    name: 'a Korean code in a table',
    subject: '[예제] 이메일 인증번호 안내',
    html: '<p>아래 인증번호를 입력해 주세요.</p><table><tr><th>인증번호</th><td>739201</td></tr><tr><th>유효시간</th><td>5분</td></tr></table>',
    code: '739201',
  },
];
