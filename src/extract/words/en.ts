import type { Language } from './language.ts';

export const english: Language = {
  code: 'code|codes|pin|pins|passcode*|pass code|2fa|mfa|token|otc|verifycode|kode|pincode',
  oneTime:
    'verification number|security code*|one-time code*|one time code*|one-time password*|one time password*|one-time passcode*|one-time pin*|one time pin*|single-use code*|otp|otps|totp|signin code*|access code*|auth code*|temporary code*|temporary password|magic code*|2fa code*|mfa code*|multi-factor code*|2-step verification code*|id code',
  password: 'password|passphrase',
  verify:
    'verify*|verification|confirm*|activat*|authenticat*|validat*|two-factor|two factor|two-step|2-step|authoriz*|authoris*',
  signIn: 'sign in|sign-in|signing in|log in|log-in|login|logging in|sign up|sign-up|signing up',
  reset:
    'reset*|forgot*|recover*|change your password|new password|set your password|choose a password|change password|password change|changing the password|change my password|update your password|set a new password',
  invite: 'invit*|join|accept',
  unsubscribe:
    'unsubscribe*|opt out|opt-out|email preferences|manage preferences|stop receiving|no longer wish|no longer want|notification settings|email settings|manage notifications|list settings',
  enter: 'enter|entering|use|using|type|input|provide|submit|paste',
  expires: 'expire*|valid for|valid until|is valid',
  number:
    'order*|invoice*|receipt*|reference|reference number|ref|ref no|reference code|tracking|tracking number|tracking code|shipment|parcel|account|account number|account no|account id|customer|customer number|customer id|customer code|client id|user id|user name|username|member|membership|member code|membership code|member number|ticket|ticket number|ticket code|case|case number|booking|booking reference|booking code|reservation|reservation code|confirmation number|itinerary|flight|flight code|transaction|transaction id|serial|serial number|license|policy|contract|card|sim card|card ending|ending in|ending with|card number|iban|bic|bic code|vat|tax id|company no|company number|registered number|registration number|registered in|tel|phone|phone number|telephone|call us|call|fax|mobile|hotline|version|build|release|issue|pull request|commit|sku|article|model|po box|suite|street|avenue|road|room|floor|gate|seat|row|barcode|amount|total|subtotal|price|balance|payment|paid|points|miles|followers|views|visits|downloads|revenue|copyright|since|founded|port|ip|ip address|meter|meeting id|reading|protocol|zip code|zip|postal code|post code|postcode|area code|country code|sort code|error code|status code|exit code|response code|product code|item code|qr code|bar code|source code|dress code|approval code|swift code|bank code|branch code|tax code|vat code|color code|colour code|card code|cost code|code of conduct|code coverage|code review|code quality|code base|lines of code|code editor|building code|studio code|morse code|wifi|wi-fi|winning numbers|encode|encoded|decode|decoded|unicode|vscode|opcode|bytecode',
  offer:
    'promo|promo code*|promotion*|discount*|coupon*|voucher*|gift code|gift card*|offer code|referral code|checkout|% off|off your|save|sale',
  unlock: 'unlock*|unblock*',
  decline: 'declin*|reject*|deny*|refus*|turn down|revoke*',
  look: 'check|review*|view*|look*',
  signUp: 'sign up|sign-up|signing up|signup|signing-up|regist*|create an account|create account|create your account',
  link: 'link*|*link*',
  account: 'account*|user*|member*',
  address: 'mail*|*mail*',
  or: 'or',
  here: 'here|click here|tap here|please click here|just click here|press here|click on here|this link|the link|click this link|click the link|click on this link|click on the link|follow this link|follow the link|link|continue|open|go|next|start|proceed',
  is: 'is|are|was',
  numberLabel: 'number|no|id',
  unit: 'minute|minutes|min|mins|hour|hours|hr|hrs|day|days|second|seconds|sec|secs|week|weeks|month|months|year|years|gb|mb|kb|km|kg|px|user|users|people|item|items|member|members|time|times|point|points|am|pm',
  money: 'dollar|dollars|euro|euros|cent|cents|pound|pounds|yen|percent',
  travel: 'booking*|reservation*|itinerary*|flight*',
  contact:
    'tel|phone|phone number|telephone|fax|call|call us|mobile|hotline|copyright|street|suite|road|avenue|floor|room|po box|since|founded|registered *|company n*|vat|zip|postal code|postcode|port|ip|ip address',
  purpose:
    'account|user|phone|mobile|member|order|orders|payment|membership|customer|booking|reservation|transaction|since|port',
  holder: 'account|user|phone|mobile|member',
  once: 'one-time|single-use',
};
