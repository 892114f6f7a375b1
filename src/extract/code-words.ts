/** The meaning of a word near a number: surely, probably or perhaps a code, or another kind of number. */
export type Saying = 'strong' | 'medium' | 'weak' | 'not';

// All words are in lower case. In scripts with spaces they match whole words, in other scripts any part of the text. A
// phrase for another kind of number includes its `code`, so that the longer match wins.

const STRONG = `
verification code|verification pin|security code|passcode|pass code|one-time code|one time code|one-time password|one time password|one-time passcode|one-time pin|otp|login code|log-in code|sign-in code|sign in code|signin code|access code|activation code|authentication code|temporary code|confirm code|verify code|magic code|2-step verification
bestätigungscode|verifizierungscode|sicherheitscode|einmalcode|einmalpasswort|einmal-code|einmalkennwort|anmeldecode|zugangscode|aktivierungscode|login-code|freischaltcode|verifikationscode|tan
code de vérification|code de verification|code de sécurité|code de confirmation|code de connexion|code d'accès|code d’accès|code d'activation|code d’activation|code à usage unique|mot de passe à usage unique|code secret
código de verificación|codigo de verificacion|código de seguridad|código de confirmación|código de acceso|código de inicio de sesión|código de un solo uso|código de activación|contraseña de un solo uso
código de verificação|código de segurança|código de confirmação|código de acesso|código de uso único|código de ativação|senha de uso único
codice di verifica|codice di sicurezza|codice di conferma|codice di accesso|codice monouso|codice otp|codice di attivazione|codice usa e getta
verificatiecode|bevestigingscode|beveiligingscode|inlogcode|toegangscode|eenmalige code|activeringscode|eenmalig wachtwoord
kod weryfikacyjny|kod bezpieczeństwa|kod potwierdzający|kod jednorazowy|kod logowania|kod dostępu|kod aktywacyjny|hasło jednorazowe|jednorazowy kod
код подтверждения|кода подтверждения|проверочный код|код проверки|код безопасности|код доступа|код для входа|код входа|одноразовый код|одноразовый пароль|код активации|код авторизации
engångskod|verifieringskod|säkerhetskod|bekräftelsekod|inloggningskod|aktiveringskod|engangskode|bekreftelseskode|sikkerhetskode|verifiseringskode|bekræftelseskode|verifikationskode|kertakäyttökoodi|vahvistuskoodi
κωδικός επαλήθευσης|κωδικός επιβεβαίωσης|κωδικός ασφαλείας|κωδικός μίας χρήσης|κωδικός μιας χρήσης|κωδικός πρόσβασης|κωδικός σύνδεσης
mã xác minh|mã xác thực|mã xác nhận|mã bảo mật|mã đăng nhập|mã kích hoạt|mã otp|kode verifikasi|kode otp|kode keamanan|ověřovací kód|bezpečnostní kód|jednorázový kód|cod de verificare|код підтвердження|одноразовий код
doğrulama kodu|doğrulama kodunuz|güvenlik kodu|güvenlik kodunuz|onay kodu|onay kodunuz|giriş kodu|giriş kodunuz|tek kullanımlık|aktivasyon kodu|şifreniz
`;

const MEDIUM = `
code|codes|pin|2fa|confirmation code|kode|pincode|token|invite code
einladungscode|zahlencode|abholcode|abholpin|öffnungscode|ophaalcode
código|codigo|clave
codice
kod|kodu|kodem
код|кода|кодом|пин|пин-код
kodunuz|kodunuzu|kodunu
koden|koodi|κωδικός|kód|cod
`;

const WEAK = `
verify|two-factor|two factor|two-step|one-time|verification|verifying|confirm|sign in|sign-in|signing in|log in|log-in|login|authenticate|authentication|enter it|enter
bestätigen|anmelden|anmeldung|eingeben|vérifier|vérification|confirmer|connexion|connecter|verificar|verificación|iniciar sesión|confirmar|verificação|verifica|accedi|conferma|accesso|verifiëren|bevestigen|inloggen|zweryfikować|weryfikacji|logowania|zaloguj|подтвердить|подтверждения|войти|вход|doğrulama|doğrulamak|giriş
`;

const NOT = `
promo code|promotion code|promotional code|discount code|coupon code|coupon|voucher|voucher code|gift code|gift card|offer code|referral code|zip code|zip|postal code|post code|postcode|area code|country code|sort code|error code|status code|exit code|response code|product code|item code|tracking code|booking code|qr code|bar code|barcode|source code|dress code|approval code|auth code|authorization code|authorisation code|swift code|bank code|branch code|tax code|color code|colour code|card code|code of conduct|code coverage|code review|code quality|code base|lines of code|studio code|morse code|checkout|% off|off your|discount|promo|promotion
customer code|member code|membership code|reservation code|flight code|order code|invoice code|user name|username|wifi|wi-fi
order|orders|order number|order no|order id|order code|invoice|receipt|reference|reference number|ref|ref no|reference code|tracking|tracking number|shipment|parcel|account|account number|account no|account id|customer|customer number|customer id|client id|user id|member|membership|ticket|case|case number|booking|booking reference|reservation|confirmation number|itinerary|flight|transaction|transaction id|serial|serial number|license|policy|contract|card ending|ending in|ending with|iban|bic|vat|tax id|company no|company number|registered number|registration number|registered in|tel|phone|phone number|telephone|call us|call|fax|mobile|hotline|version|build|release|issue|pull request|commit|sku|article|model|po box|suite|street|avenue|room|floor|gate|seat|amount|total|subtotal|price|balance|payment|paid|points|miles|followers|views|downloads|copyright|©|since|founded|port|ip address
bestellung|bestellnummer|auftragsnummer|auftrag|rechnung|rechnungsnummer|rechnungsnr|kundennummer|kundennr|referenz|referenznummer|sendungsnummer|paketnummer|kontonummer|vorgangsnummer|ticketnummer|buchungsnummer|buchungscode|gutschein|rabatt|gutscheincode|rabattcode|aktionscode|postleitzahl|plz|telefon|handelsregister|hrb|hra|ust-idnr|fehlercode|gesamt|gesamtbetrag|summe|betrag|artikelnummer
commande|numéro de commande|facture|numéro de facture|référence|numéro client|numéro de client|numéro de suivi|compte|dossier|code promo|code postal|code de réduction|code de parrainage|téléphone|siret|siren|rcs|montant|colis|réservation
pedido|número de pedido|factura|fatura|referencia|referência|número de cliente|cuenta|conta|seguimiento|rastreamento|código postal|código promocional|código de descuento|código de desconto|cupón|cupom|cep|teléfono|telefone|importe|valor|encomenda|reserva|nif|cnpj
ordine|numero ordine|numero d'ordine|fattura|riferimento|numero cliente|codice cliente|codice sconto|codice promozionale|codice postale|codice fiscale|spedizione|telefono|importo|totale|p.iva|partita iva|prenotazione|cap
bestelling|bestelnummer|ordernummer|factuur|factuurnummer|klantnummer|referentie|kortingscode|postcode|telefoon|bedrag|totaal|kvk|trackingnummer|boeking
zamówienie|zamówienia|numer zamówienia|faktura|faktury|numer klienta|kod rabatowy|kod pocztowy|przesyłki|telefon|kwota|razem|nip|regon
заказ|заказа|номер заказа|счет|счёт|номер счета|промокод|купон|индекс|телефон|тел|сумма|итого|трек-номер|инн|бронирования
sipariş|sipariş no|sipariş numarası|sipariş numaranız|fatura|fatura no|müşteri no|takip|takip no|indirim kodu|promosyon kodu|posta kodu|telefon|tutar|toplam|rezervasyon
`;

const PARTS: readonly (readonly [Saying, string])[] = [
  ['strong', '验证码|驗證碼|校验码|动态码|动态密码|確認碼|安全码|一次性密码|登录码|登入碼|认证码'],
  [
    'strong',
    '認証コード|確認コード|検証コード|ワンタイム|セキュリティコード|認証番号|暗証番号|ログインコード|パスコード',
  ],
  ['strong', '인증번호|인증 번호|인증코드|인증 코드|확인 코드|확인코드|보안 코드|보안코드|일회용|로그인 코드'],
  ['strong', 'رمز التحقق|رمز التأكيد|رمز الدخول|رمز الأمان|كود التحقق|كلمة مرور لمرة واحدة|رمز التفعيل'],
  ['strong', 'קוד אימות|קוד האימות|קוד הכניסה|קוד כניסה|קוד אבטחה|סיסמה חד פעמית|קוד חד פעמי|קוד חד-פעמי'],
  ['strong', 'सत्यापन कोड|वेरिफिकेशन कोड|पुष्टिकरण कोड|सुरक्षा कोड|ओटीपी|रहस्य कोड'],
  ['strong', 'รหัสยืนยัน|รหัสการยืนยัน|รหัส otp|รหัสความปลอดภัย|รหัสผ่านครั้งเดียว'],
  ['strong', 'کد تأیید|کد تایید|کد یکبار مصرف|کد یک‌بار مصرف|کد فعال‌سازی|کد فعالسازی|کد ورود|رمز یکبار مصرف|رمز پویا'],
  ['medium', 'कोड|รหัส|کد'],
  ['not', 'ऑर्डर|फ़ोन|पिन कोड|คำสั่งซื้อ|รหัสไปรษณีย์|โทร|کد پستی|کد تخفیف|کد رهگیری|سفارش|تلفن'],
  ['medium', 'コード|代码|코드|رمز|קוד|密码'],
  ['weak', '验证|登录|確認|認証|ログイン|인증|로그인|التحقق|تسجيل الدخول|אימות|התחברות'],
  ['not', '订单|訂單|发票|快递|运单|客服|电话|金额|优惠码|邮编|编号|尾号|账号|工单'],
  ['not', '注文|請求|伝票|お客様番号|会員番号|電話|郵便|合計|クーポン|追跡|予約|問い合わせ番号|受付番号'],
  ['not', '주문|송장|고객번호|전화|금액|쿠폰|우편|합계|예약|운송장'],
  ['not', 'رقم الطلب|الطلب|فاتورة|الفاتورة|رقم الحساب|هاتف|المبلغ|الرمز البريدي|كود الخصم|رقم الشحنة'],
  ['not', 'הזמנה|חשבונית|מספר לקוח|טלפון|סכום|קופון|מיקוד|משלוח'],
];

const SAYINGS = new Map<string, Saying>();
for (const [saying, list] of [
  ['weak', WEAK],
  ['medium', MEDIUM],
  ['strong', STRONG],
  ['not', NOT],
  ...PARTS,
] as const) {
  for (const words of list.split(/[|\n]/)) if (words !== '') SAYINGS.set(words, saying);
}

/** The longest alternative comes first, so that it wins. */
const ALL = new RegExp(
  [...SAYINGS.keys()]
    .sort((a, b) => b.length - a.length)
    .map(literal)
    .join('|'),
  'g',
);

function literal(words: string): string {
  return words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Bare words for a code. A neighbouring word may turn them into another kind of number: `Cost code`, `Code client`. */
const BARE = new Set((MEDIUM.match(/[^|\n]+/g) ?? []).filter((words) => !words.includes(' ')));
const words = (list: string) => new Set(list.split(/[|\n]/));
/** The words that may stand right before a bare word for a code. */
const BESIDE_BEFORE =
  words(`the|this|that|these|your|my|our|its|a|an|one|new|following|use|enter|with|and|or|of|by|is|no|number|digit|secret|unique|temporary|personal|time|one-time|numeric|safe|secure|other|another|old|previous|first|second|last|current|latest|same|verification|confirmation|authentication|authenticator|auth|mfa|otp|app|email|e-mail|mail|sms|text|recovery|backup|emergency|pickup|pick-up|collection|door|entry|unlock|locker|pairing|link|linking|device|guard|invite|invitation|join|reset|registration|register|sign-up|signup|transfer|connection|user|account|phone|mobile
ihr|ihren|dein|deinen|der|den|diesen|dieser|folgenden|folgender|einen|neuer|neuen|votre|ton|le|ce|un|nouveau|tu|su|el|este|nuevo|seu|o|il|tuo|suo|questo|je|jouw|uw|de|deze|een|twój|ten|kod|ваш|этот|новый|введите|вводите|сообщайте|используйте|din|ο|ditt|denne|váš|codul`);
/** The lower-case words that may follow it. */
const BESIDE_AFTER =
  words(`is|are|was|below|above|for|to|you|that|which|we|in|into|on|at|from|with|when|will|expires|valid|has|have|can|must|and|or|if|as|sent|here|now|again|instead|number|within|before|until|it
kullanın|kullanınız|girin|giriniz|ile|lautet|ist|für|zum|zur|um|wurde|unter|gilt|ein|und|est|pour|à|sur|ci-dessous|suivant|valable|es|para|é|abajo|abaixo|è|per|om|voor|hieronder|jest|dla|для|это|är|för|sas|σας|είναι|je|pro|este|pentru`);

export interface Word {
  readonly saying: Saying;
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the words of a text that tell something about the numbers around them, in order. */
export function sayingWords(text: string): Word[] {
  const lower = lowerCase(text);
  const found: Word[] = [];
  ALL.lastIndex = 0;
  for (let match = ALL.exec(lower); match !== null; match = ALL.exec(lower)) {
    const words = match[0];
    const start = match.index;
    const end = start + words.length;
    const saying = SAYINGS.get(words);
    if (saying !== undefined && isWhole(lower, start, end)) {
      found.push(
        BARE.has(words) ? inCompany(text, found.at(-1), { saying, words, start, end }) : { saying, words, start, end },
      );
    }
    // A shorter match within this one may still be a whole word.
    else ALL.lastIndex = start + 1;
  }
  return found;
}

const BESIDE = 40;

/** Judges a bare word by its neighbours. They separate the code of a mail from other codes. */
function inCompany(text: string, last: Word | undefined, word: Word): Word {
  const before = /(?:^|[^\p{L}\p{N}])(?:([\p{L}\p{N}'’-]+)[ \u00A0-])$/u.exec(
    text.slice(Math.max(0, word.start - BESIDE), word.start),
  );
  const other = before?.[1];
  // "Ticket code" is the number of a ticket.
  const isOfAnother = last?.saying === 'not' && !BESIDE_BEFORE.has(last.words) && word.start - last.end === 1;
  const isOpen = other === undefined || isKnownBefore(text, other, word.start);
  const after = /^[ \u00A0](\p{Ll}[\p{L}'’-]*)/u.exec(text.slice(word.end, word.end + BESIDE))?.[1];
  if (!isOfAnother && isOpen && (after === undefined || BESIDE_AFTER.has(after))) return word;
  const words = isOpen && !isOfAnother ? `${word.words} ${after}` : `${other ?? last?.words} ${word.words}`;
  return { ...word, saying: 'not', words: words.toLowerCase() };
}

/**
 * Tells whether the word before is a known one, a number of digits, or a capitalized product name within a sentence.
 */
function isKnownBefore(text: string, other: string, end: number): boolean {
  if (BESIDE_BEFORE.has(other.toLowerCase()) || /[0-9]|\p{Ll}\p{Lu}/u.test(other)) return true;
  if (!/^\p{Lu}/u.test(other)) return !/^\p{Script=Latin}|^\p{Script=Cyrillic}|^\p{Script=Greek}/u.test(other);
  return /[\p{L}\p{N},][ \u00A0]$/u.test(text.slice(Math.max(0, end - other.length - 3), end - other.length - 1));
}

/** Lower-cases a text and normalizes white space without changing its length, so that positions stay valid. */
function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').replace(/\s/g, ' ').toLowerCase();
}

const SPACED_LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}0-9]/u;

function isWhole(text: string, start: number, end: number): boolean {
  const joins = (inside: number, outside: number) =>
    SPACED_LETTER.test(text.charAt(inside)) && SPACED_LETTER.test(text.charAt(outside));
  return !joins(start, start - 1) && !joins(end - 1, end);
}
