import type { WholeMail } from './mails-of-accounts.ts';

const SHOP = 'https://shop.example.com';

/** Mails of banks, shops, travel companies and machines. */
export const MAILS_OF_TRADE: readonly WholeMail[] = [
  {
    name: 'a German TAN with amount and account',
    subject: 'Ihre TAN',
    text: 'Ihre TAN für die Überweisung über 1.250,00 EUR an IBAN DE89 3704 0044 0532 0130 00 lautet: 739201. Geben Sie sie niemals weiter.',
    code: '739201',
  },
  {
    name: 'a passcode for a payment by card',
    subject: 'Your one-time passcode',
    html: `<p>Your one-time passcode is <b>73920184</b>.</p><p>It's for a payment of £249.99 to ACME STORES 2210 with your card ending 4821.</p>
      <p>Didn't ask for it? Call us on 0345 740 4404 or +44 1226 261 010 from abroad.</p>`,
    code: '73920184',
  },
  {
    name: 'a French code for one use',
    subject: 'Votre code de sécurité',
    text: 'Bonjour Ada,\n\nVotre code de sécurité à usage unique : 739 201\nIl est valable 10 minutes.\n\nCarte se terminant par 4821, achat de 89,90 € chez EXEMPLE 75011 PARIS.',
    code: '739 201',
  },
  {
    name: 'a Spanish code beside an operation',
    subject: 'Código de verificación',
    html: '<table><tr><td>Operación</td><td>20261121</td></tr><tr><td>Importe</td><td>125,50 €</td></tr><tr><td>Código de verificación</td><td><b>739201</b></td></tr></table>',
    code: '739201',
  },
  {
    name: 'a Brazilian code and a protocol number',
    subject: 'Seu código de acesso',
    text: 'Olá, Ada! Seu código de verificação é 739201. Ele expira em 15 minutos.\nProtocolo de atendimento: 2026112100\nCEP 01310-100, São Paulo',
    code: '739201',
  },
  {
    name: 'a bank statement names sort code, account and BIC',
    subject: 'Your statement is ready',
    text: 'Your November statement is ready.\n\nSort code: 404784\nAccount number: 12345678\nBIC code: MIDLGB22\nBranch code: 4821\n\nSign in to online banking to see it.',
    code: null,
  },
  {
    name: 'a Chinese code before the number of a card',
    subject: '验证码',
    text: '【某银行】验证码739201,您尾号4821的卡正在支付398.00元,请勿泄露。客服95588',
    code: '739201',
  },
  {
    name: 'a discount, an order and no other code',
    subject: 'Thanks for your order #48201934',
    html: `<h1>Thank you, Ada!</h1><p>Order number: 48201934</p><p>As a thank you, use the code <b>WELCOME15</b> at checkout for 15% off.</p><p>Customer number 558201</p>`,
    // By design, a discount code is no verification code.
    code: null,
  },
  {
    name: 'a gift card in three groups',
    subject: 'You have a gift card',
    html: '<p>Ada sent you a gift card worth $50.00.</p><p>Gift card code</p><h2>7KQ2-M9XP-4TRW</h2><p>PIN on the back of the printed card. Valid until 11/2031. Terms 2026.</p>',
    // By design, this is no verification code either.
    code: null,
  },
  {
    name: 'a parcel in a locker',
    subject: 'Your parcel is ready to collect',
    text: 'Your parcel 00340434161094042557 is waiting in locker 142, 10117 Berlin.\n\nPickup code: 4821\n\nCollect it until 28.11.2026.',
    code: '4821',
  },
  {
    name: 'a parcel on its way: only numbers to look up',
    subject: 'Your order has shipped',
    html: `<table><tr><td>Order number</td><td>48201934</td></tr><tr><td>Tracking code</td><td>7392018455</td></tr><tr><td>Postal code</td><td>98109</td></tr>
      <tr><td>Product code</td><td>773311</td></tr></table><a href="${SHOP}/track/48201934">Track your parcel</a>`,
    code: null,
    link: `${SHOP}/track/48201934`,
  },
  {
    name: 'a booking of a flight',
    subject: 'Your trip confirmation',
    html: `<table><tr><td>Confirmation code</td><td>Flight</td><td>Seat</td></tr><tr><td><b>QX7T9L</b></td><td>AS1234</td><td>21A</td></tr></table>
      <p>Ticket number 0272191234567. Departs SEA 0915, gate N12.</p>`,
    // By design, a booking code is no verification code.
    code: null,
  },
  {
    name: 'a stay with a booking code and one for the door',
    subject: 'Reservation confirmed',
    text: 'Check-in: Fri, Nov 21, 2026, 15:00\nConfirmation code: HM3K9WPZ\n\nDoor code: 2580\nWi-Fi: Loft-5G\nAddress: 1204 Pine St, 98101 Seattle',
    // Nobody can tell which of the two is meant, so neither is returned.
    code: null,
  },
  {
    name: 'a build that failed',
    subject: 'Build #48201 failed',
    text: `Build 48201 of acme/shop failed with exit code 13700.
Commit: 4f2a91c
Status code: 5031
Error code: E40210
Code coverage: 8123 of 9001 lines

https://ci.example.com/builds/48201`,
    code: null,
    link: 'https://ci.example.com/builds/48201',
  },
  {
    name: 'an invoice with the numbers of an office',
    subject: 'Invoice INV-20261121',
    text: 'Invoice INV-20261121\nVAT code: 12345678\nCost code: 4455\nAmount due: $1,250.00\nPay by: 2026-12-05\nReference: 48201934',
    code: null,
  },
  {
    name: 'news about codes',
    subject: 'What we shipped in November 2026',
    html: `<p>Verification codes are faster: 482910 people got theirs within 3 seconds. QR codes now hold 2953 bytes.</p>
      <p>Source code of version 20261121 is on our site.</p><a href="https://news.example.com/2026/11">Read more</a> <a href="https://news.example.com/u?i=1">Unsubscribe</a>`,
    code: null,
    link: 'https://news.example.com/2026/11',
  },
  {
    name: 'a code that goes elsewhere',
    subject: 'Your transfer was requested',
    text: 'We have sent a verification code by text message to the number ending in 4821. Your request number is 739201.',
    code: null,
  },
  {
    name: 'plain text that underlines its heading, other than the HTML lays it out',
    subject: 'Confirm your order',
    text: 'CONFIRM YOUR ORDER\n==================\n\nYOUR CODE\n---------\n\n    739201\n\n[ Order 48201934 ]\n',
    html: '<h1>Confirm your order</h1><table><tr><td>Your code</td><td>739201</td></tr><tr><td>Order</td><td>48201934</td></tr></table>',
    code: '739201',
  },
  {
    name: 'an invitation with a terms link and a way to unsubscribe',
    subject: 'Grace invited you to Acme',
    html: `<p>Grace (grace@example.com) has invited you to the workspace <b>Acme</b>.</p><a href="https://acme.example.com/i/Zk3">Join now</a>
      <p><a href="https://acme.example.com/terms">Terms</a> <a href="https://acme.example.com/privacy">Privacy</a> <a href="https://acme.example.com/e/u?x=1">Unsubscribe</a></p>`,
    code: null,
    link: 'https://acme.example.com/i/Zk3',
  },
  {
    name: 'a receipt to look at, with a hint how to secure the account',
    subject: 'Your receipt from Acme',
    html: `<p>Receipt 2210-4821</p><p>You paid $20.00 on Nov 21.</p><a href="${SHOP}/receipts/22104821">View your receipt</a>
      <p>Was it not you? <a href="${SHOP}/password/reset">Reset your password</a>.</p><a href="${SHOP}/unsubscribe">Unsubscribe</a>`,
    code: null,
    link: null,
  },
];
