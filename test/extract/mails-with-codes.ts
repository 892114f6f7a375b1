/** A mail of an app, and the codes that a person would enter. */
export interface CodeMail {
  readonly name: string;
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  /** The code. It holds several if nobody can tell which is meant, or none. */
  readonly codes: readonly string[];
}

export const MAILS_WITH_CODES: readonly CodeMail[] = [
  {
    name: 'a sign-up, text only',
    subject: 'Welcome, Ada',
    text: 'Hi Ada,\n\nYour code is 481516.\n\nIt expires in 10 minutes.\n',
    codes: ['481516'],
  },
  {
    name: 'a code alone on its line',
    subject: 'Confirm your e-mail address',
    text: 'Hello,\n\nenter this verification code to continue:\n\n    902113\n\nExample Ltd, 20 High Street, London\n',
    codes: ['902113'],
  },
  {
    name: 'a code in the subject only',
    subject: '604812 is your Example verification code',
    html: '<p>Someone tried to sign in to your account on 20 November 2026 at 14:05.</p>',
    codes: ['604812'],
  },
  {
    name: 'HTML with hex colours, pixel sizes and a logo URL of digits',
    subject: 'Your sign-in code',
    html: `<html><head><title>Code 111111</title><style>.a{color:#123456;width:600600px}</style></head>
<body style="background:#654321"><img src="https://cdn.example.com/logo/202020.png" alt="Logo 303030">
<table><tr><td style="color:#112233;font-size:32px;letter-spacing:6px">771204</td></tr></table>
<p>Enter this code to sign in. <a href="https://example.com/login/998877">Help</a></p></body></html>`,
    codes: ['771204'],
  },
  {
    name: 'a preview text that is hidden and older',
    subject: 'Your login code',
    html: '<div style="display:none;max-height:0">Your code is 000111</div><p>Your login code is <b>583920</b></p>',
    codes: ['583920'],
  },
  {
    name: 'entities and spans between the digits',
    html: '<p>Your verification code: <strong><span>4</span><span>8</span>&#49;<span>5</span>1&#x36;</strong></p>',
    codes: ['481516'],
  },
  {
    name: 'one cell for each digit',
    subject: 'Verification code',
    html: '<p>Your code:</p><table><tr><td>7</td><td>3</td><td>0</td><td>9</td><td>1</td><td>4</td></tr></table>',
    codes: ['730914'],
  },
  { name: 'a space inside', text: 'Your one-time passcode is 482 913', codes: ['482913'] },
  { name: 'a hyphen inside', text: 'Your sign-in code:\n\n482-913\n', codes: ['482913'] },
  { name: 'eight digits in two groups', text: 'OTP: 4821 9130', codes: ['48219130'] },
  { name: 'no-break space inside', html: '<p>Security code</p><h1>482&nbsp;913</h1>', codes: ['482913'] },
  { name: "a company's mark before it", text: 'G-481516 is your Example verification code.', codes: ['481516'] },
  { name: 'no space after the colon', text: 'Code:481516', codes: ['481516'] },
  { name: 'four digits', text: 'Your PIN is 4821. Never share it.', codes: ['4821'] },
  { name: 'a PIN that could be a year', text: 'Your PIN:\n\n1987\n', codes: ['1987'] },
  { name: 'letters and digits', text: 'Your login code is XK49PQ', codes: ['XK49PQ'] },
  { name: 'letters and digits with a hyphen', text: 'Verification code:\nXK4-9PQ\n', codes: ['XK4-9PQ'] },
  {
    name: 'an order number beside a code',
    subject: 'Confirm order #48151623',
    text: 'Your verification code for order 48151623 is 902113.',
    codes: ['902113'],
  },
  {
    name: 'order, invoice and account numbers around a code',
    html: `<table><tr><td>Order number</td><td>700123</td></tr><tr><td>Invoice</td><td>800456</td></tr>
<tr><td>Account</td><td>90021</td></tr><tr><td>Pickup code</td><td><b>4417</b></td></tr></table>`,
    codes: ['4417'],
  },
  {
    name: 'a code for an account',
    text: 'Use this code to verify your Example account: 481516',
    codes: ['481516'],
  },
  {
    name: 'text and HTML say the same',
    subject: 'Your code',
    text: 'Your code: 481516',
    html: '<p>Your code: <b>481516</b></p>',
    codes: ['481516'],
  },
  {
    name: 'a phone number, a postcode and a year in the footer',
    text: 'Your access code is 339214.\n\nCall 1 800 555 0199 or +49 30 1234567.\nExample GmbH, 10115 Berlin\n© 2026 Example',
    codes: ['339214'],
  },
  { name: 'two codes alike', text: 'Your verification codes:\n\n481516\n\n902113\n', codes: ['481516', '902113'] },
  {
    name: 'recovery codes',
    subject: 'Your recovery codes',
    text: 'Keep these codes:\n\n1830-2241\n5512-9914\n7302-1188\n',
    codes: ['18302241', '55129914', '73021188'],
  },
  { name: 'two codes in a sentence', text: 'Your code is 481516 or 902113.', codes: ['481516', '902113'] },
  {
    name: 'a code in text that differs from the one in HTML',
    text: 'Your code is 481516',
    html: '<p>Your code is 902113</p>',
    codes: ['481516', '902113'],
  },
  { name: 'German', text: 'Ihr Bestätigungscode lautet 481516. Er gilt 15 Minuten.', codes: ['481516'] },
  { name: 'French', text: 'Votre code de vérification est : 481 516', codes: ['481516'] },
  { name: 'Spanish', text: 'Tu código de verificación es 481516. Pedido 700123.', codes: ['481516'] },
  { name: 'Portuguese', text: 'Seu código de verificação é 481516', codes: ['481516'] },
  { name: 'Italian', text: 'Il tuo codice di verifica è 481516', codes: ['481516'] },
  { name: 'Dutch', text: 'Je verificatiecode is 481516', codes: ['481516'] },
  { name: 'Polish', text: 'Twój kod weryfikacyjny to: 481516', codes: ['481516'] },
  { name: 'Russian', text: 'Ваш код подтверждения: 481516. Номер заказа 700123.', codes: ['481516'] },
  { name: 'Turkish', text: "Doğrulama kodunuz 481516'dır.", codes: ['481516'] },
  { name: 'Chinese', text: '【示例】您的验证码是481516，请在10分钟内输入。订单700123。', codes: ['481516'] },
  { name: 'Japanese, full-width digits', text: '認証コード：４８１５１６\n有効期限は10分です。', codes: ['481516'] },
  { name: 'Korean', text: '인증번호는 481516입니다.', codes: ['481516'] },
  {
    name: 'Arabic, right to left with its own digits',
    html: '<div dir="rtl"><p>رمز التحقق الخاص بك هو</p><h2>\u200f٤٨١٥١٦\u200f</h2></div>',
    codes: ['481516'],
  },
  { name: 'Hebrew', html: '<p dir="rtl">קוד האימות שלך: <b>481516</b></p>', codes: ['481516'] },

  {
    name: 'a receipt',
    subject: 'Your receipt #1204-7731',
    text: `Thanks for your order.

Order number: 48151623
Invoice 2026-00412
Date: 20/11/2026 14:05
2 x Widget      $1299.00
Total           USD 2598
VAT 20%         433.00
Card ending in 4242
Approval code: 004512
Tracking number 99213344
`,
    codes: [],
  },
  {
    name: 'a newsletter',
    subject: 'Top 1000 tips for 2026',
    html: '<h1>2026</h1><p>Join 25000 readers. Version 12345 is out. Call 5551234. Use the code editor 20261120.</p>',
    codes: [],
  },
  {
    name: 'a promotion',
    subject: '20% off everything',
    text: 'Use code SAVE2026 at checkout to get 20% off. Or promo code WINTER50.',
    codes: [],
  },
  { name: 'a magic link', text: 'Sign in:\nhttps://example.com/magic/481516?code=902113\n', codes: [] },
  {
    name: 'digits of an address and of a URL in brackets',
    text: 'Code? Ask user481516@example.com (http://x.test/(481516))',
    codes: [],
  },
  { name: 'a booking', text: 'Flight BA2490, booking reference X7K2PQ. Confirmation code: H4MABC12', codes: [] },
  {
    name: 'a ticket',
    subject: '[Ticket 481516] Re: your code review',
    text: 'Case number 902113\nSee pull request 4412',
    codes: [],
  },
  { name: 'an error code', text: 'The build failed with error code 50012 in version 4.2.1.', codes: [] },
  { name: 'a Chinese order', text: '您的订单号700123已发货，快递单号99887766。', codes: [] },
  {
    name: 'a code that nobody sees',
    html: '<!-- code 481516 --><p hidden>Your code is 481516</p><p>Hello</p>',
    codes: [],
  },
  {
    name: 'a phone number and a ticket after another mention of the code',
    text: 'Your code is:\n\n481516\n\nIf you did not request this code, call us at 8005550 or reply with ticket 993311.',
    codes: ['481516'],
  },
  {
    name: 'a payment, with an amount, a card and a reference',
    text: 'Dear customer 77123,\n\nOTP for transaction of INR 4500 at SHOP on card ending 4242 is 481516. Ref 99887766.',
    codes: ['481516'],
  },
  {
    name: 'a heading, a postal address and an order',
    html: '<p>Please use the following code to sign in</p><div style="font-size:32px">481516</div><p>Order 77123 - 1234 Main Street, Suite 4000, San Francisco, CA 94103</p>',
    codes: ['481516'],
  },
  {
    name: 'a greeting between the subject and the code',
    subject: 'Your verification code',
    text: 'Hi Ada,\n\n481516\n\nThanks',
    codes: ['481516'],
  },
  {
    name: 'a notice about codes, with a postcode on a line of its own',
    subject: 'Two-factor authentication is on',
    text: 'Two-factor authentication was enabled. Never share a verification code.\n\nExample Inc\n94103\nSan Francisco',
    codes: [],
  },
  { name: 'figures on lines of their own', text: 'To verify, log in.\n\n4815\nviews\n', codes: [] },
  {
    name: 'a German invoice',
    subject: 'Rechnung 20261234',
    text: 'Kundennummer: 481516\nRechnungsnummer: 902113\nBetrag: 1234 EUR',
    codes: [],
  },
  { name: 'a report on source code', text: 'Code coverage: 4815 lines\nLines of code 90211\n', codes: [] },
  {
    name: 'facts about an item, whose labels no language has as words',
    subject: 'Shay Laptop',
    text: 'Shay: Laptop\nCalaamad: 481516\nTaxane: 90211377\n',
    html: '<table><tr><td>Shay</td><td>Laptop</td></tr><tr><td>Calaamad</td><td><b>481516</b></td></tr></table>',
    codes: [],
  },
  {
    name: 'a table of data',
    subject: 'Kayd',
    html: '<table><tr><th>Shay</th><th>Kayd</th><th>Ugu yar</th></tr><tr><td>Toner</td><td>4815</td><td>9021</td></tr></table>',
    codes: [],
  },
  {
    name: 'facts about an order, whose labels call them codes of something',
    subject: 'Mokėjimas gautas',
    html: `<p>Dėkojame už Jūsų mokėjimą.</p><table><tr><td>Sąskaitos numeris</td><td><b>2026-9519</b></td></tr>
<tr><td>PVM kodas</td><td><b>928983691</b></td></tr><tr><td>Kodas pašto</td><td><b>31221</b></td></tr></table>`,
    codes: [],
  },
  {
    name: 'the long code of a parcel',
    subject: 'Siuntos pranešimas',
    text: 'Jūsų užsakymas buvo išsiųstas.\n\nSiuntos kodas: 1131903356\n\nAčiū!\n',
    codes: [],
  },
  {
    name: 'a code among facts, whose label is a word for codes',
    subject: 'Sign in',
    html: '<table><tr><td>Account</td><td>ada@example.com</td></tr><tr><td>Code</td><td>481516</td></tr><tr><td>Browser</td><td>Firefox</td></tr></table>',
    codes: ['481516'],
  },
  {
    name: 'the codes of products, below the head of their column',
    subject: 'Green Farm',
    html: '<table><tr><th>Code</th><th>Item</th><th>Qty</th></tr><tr><td>822417</td><td>Apples</td><td>7</td></tr></table>',
    codes: [],
  },
  {
    name: 'the number of an order, large below a label of two words in another script',
    subject: 'Green Farm',
    html: '<p>तुमच्या ऑर्डरची आता पुष्टी झाली आहे</p><p>ऑर्डर क्रमांक:</p><p style="font-size:24px"><b>132523</b></p>',
    codes: [],
  },
  {
    name: 'the confirmation of an order, with its number large and alone',
    subject: '注文確認',
    html: '<p>以下の注文情報をご確認ください。</p><h1>322994</h1><table><tr><td>合計</td><td>9053</td></tr></table><p>電話番号: 50250704</p>',
    codes: [],
  },
  {
    name: 'a code whose hidden twin the text has too, as react-email writes its CodeInline',
    subject: 'Hi',
    text: 'your code is 482913482913.',
    html: '<p>your code is <code class="cino">482913</code><span class="cio" style="display:none">482913</span>.</p>',
    codes: ['482913'],
  },
  {
    name: 'a code on a line that is indented as the tags of its HTML were',
    subject: 'Acme Anmeldung',
    text: 'Hallo,\n\nGeben Sie den folgenden Verifizierungscode ein, um sich bei Acme anzumelden. Er verfällt in 15 Minuten.\n\n            481516\n        \n\nDanke,\nAcme Team\n',
    codes: ['481516'],
  },
  {
    name: 'a code in a text all of whose lines are indented with tabs and spaces',
    text: '\t\t\tHello,\n\t\t\t    Enter this code to continue:\n\n\t\t\t\t\t            902113\n\n\t\t\tExample Ltd\n',
    codes: ['902113'],
  },
];
