import type { KindInWords, SaidKind } from './link-kinds.ts';
import { type Word, wordsIn } from './words/find-words.ts';
import type { Meaning } from './words/language.ts';

/** The meanings that tell a kind. The first one decides: a link that confirms a reset is a reset. */
const TELLING: readonly (readonly [Meaning, SaidKind])[] = [
  ['unsubscribe', 'unsubscribe'],
  ['reset', 'reset'],
  ['invite', 'invite'],
  ['verify', 'verify'],
  ['signIn', 'magic'],
  // Any other verb with a password means that the link sets a new one.
  ['password', 'reset'],
];
/** To sign up, which creates an account, and does not sign in to one. */
const SIGN_UP =
  /^(?:sign(?:ing)?[ -]?up|.*regi(?:s|z|sz)t|.*rejestr|.*inscri|.*рег[иі]стр|.*реєстр|.*kay[ıd]|.*đăng ký|.*daftar|.*登録|.*注册|.*註冊|.*가입|.*등록|.*สมัคร|.*ลงทะเบียน|.*הרשמ|.*εγγρα|.*tilmeld|.*oprett|.*opprett|.*skapa|.*rekister|rexistr|regjistr|.*რეგისტრ|skrá(?!.*inn)|ثبت.?نام|التسجيل|سجل|رجسٹر|पंजीकर|பதிவு|నమోదు|নিবন্ধ|ចុះឈ្មោះ|գրանց|тіркел|бүртг|qeydiyyat|cofrestr|cláraigh|jisajili|bhalisa|üye ol|hesap aç|рэгістр|להירשם|зачлен|.*rehistr|اندراج|નોંધણી|ನೋಂದಣಿ|രജിസ്റ്റർ|नोंदणी|दर्ता|ਰਜਿਸਟਰ|ලියාපදිංචි|ລົງທະບຽນ|မှတ်ပုံတင်)/;
const MAGIC_LINK = /\bmagic[ -]link/i;
/** The word "link". A "sign-in link" signs in; a "new sign-in" is only news. */
const A_LINK =
  /link|lien\b|enlace|l[äæ]nk|lenke|odkaz|ссылк|посиланн|bağlantı|σύνδεσμ|リンク|链接|連結|링크|رابط|קישור|پیوند|लिंक|ลิงก์|liên kết|tautan|връзка|poveznic|hivatkozás|nuorod|saite|povezav/i;
/** Words that are no trade: an account is confirmed, and an order is not. Hungarian has one word for link and reference. */
const NO_TRADE =
  /account|konto|compte|cuenta|conta\b|аккаунт|акаунт|rachunek|účet|účt|fiók|cont\b|user|member|rekening|račun|حساب|חשבון|eskaera|nuorod|kont\b|우편|akaun|akun\b|llogari|tài khoản|[帳账][號号户戶]|アカウント|계정|hesa[bp]|λογαριασμ|профил|сметк|налог|खात|บัญชี|hivatkozás/;
/** A mail address. "Confirm" alone may confirm anything; "Confirm your email" verifies the address. */
const AN_ADDRESS =
  /mail|correo|courriel|correu|posta|pošt|poczt|sähköpost|epost|e-post|почт|пошт|имейл|имэйл|emel|e-pasta?|paštą|pašto|邮|郵|信箱|メール|메일|بريد|ایمیل|ای میل|דוא|ईमेल|मेल|ইমেল|ইমেইল|อีเมล|thư điện|ηλεκτρονικ|ელფოსტ|էլ/iu;
/** To unlock an account, for which many sentences say to activate it. */
const UNLOCK =
  /(?<!\p{L})(?:unlock|entsperr|déverrouill|débloqu|desbloqu|sblocc|ontgrendel|odblok|odemkn|odomk|разбл[оа]к|розблок|отблок|debl?ok|debloc|lås(?:e|a)? (?:opp|op|upp)|felold|ξεκλείδ|kilidi|mở khóa|(?:mem)?buka kunci)|ロック(?:を)?解除|解锁|解鎖|잠금 ?해제|ปลดล็อ|إلغاء قفل|غیر مقفل|נעילה/iu;
/** To decline what a mail offers. */
const DECLINE =
  /(?<!\p{L})(?:declin|déclin|reject|deny|ablehn|abzulehn|refus|rechaz|recus|rebutj|rexeit|rifiut|weiger|afwijz|afvis|weier|afslå|avvis|avslå|avböj|tacka nej|hylkä|kieltäyd|odrzu|odmow|odmít|odmiet|zamítn|zavrn|odbij|elutasít|refuz|respin|отклон|отказ|відхил|адхіл|одбиј|απόρριψ|απορρί|reddet|tolak|từ chối|atmest|atmesk|noraid|baztert|մերժ|бас тарт|უარყ|hafna|keeldu)|辞退|拒否|拒绝|拒絕|거절|거부|ปฏิเสธ|अस्वीकार|প্রত্যাখ্যান|நிராகரி|رفض|رد کردن|לדחות|דחה|דחיית/iu;
const EITHER =
  /\/|(?<!\p{L})(?:or|oder|ou|o|of|eller|tai|lub|nebo|alebo|ali|vagy|sau|или|або|ή|veya|atau|hoặc)(?!\p{L})|或|または|又は|또는/iu;
const MAX_CHARACTERS = 600;

/** The words of a text that say something about links. */
export interface Reading {
  readonly said: KindInWords | null;
  /** Tells whether the text is about an order, an amount, a discount or the like. */
  readonly isTrade: boolean;
  /** Tells whether the text is about a code to enter, such as "Send the code again". */
  readonly isOfCode: boolean;
}

/** Reads what a text says about the kind of a link in any known language. */
export function readWords(text: string): Reading {
  const part = text.slice(0, MAX_CHARACTERS);
  const words = wordsIn(part);
  const isTrade = words.some(isOfTrade);
  const isOfCode = words.some(({ meanings }) => meanings.includes('code') || meanings.includes('oneTime'));
  const said: KindInWords | null = MAGIC_LINK.test(part)
    ? { kind: 'magic', words: 'magic link', isWeak: false }
    : (unlocking(part) ?? saidBy(words, isTrade, A_LINK.test(part), AN_ADDRESS.test(part)));
  return { said, isTrade, isOfCode };
}

/** Tells whether the text of a link declines what the mail offers: "Decline invitation", and not "Accept or decline". */
export function declines(text: string): boolean {
  return DECLINE.test(text) && !EITHER.test(text);
}

function unlocking(text: string): KindInWords | null {
  const words = UNLOCK.exec(text)?.[0];
  return words === undefined ? null : { kind: 'unlock', words: words.toLowerCase(), isWeak: false };
}

function saidBy(words: readonly Word[], isTrade: boolean, isLink: boolean, isOfAddress: boolean): KindInWords | null {
  for (const [meaning, kind] of TELLING) {
    const telling = words.filter(({ meanings }) => meanings.includes(meaning));
    const [first] = telling;
    if (first === undefined || (kind === 'verify' && isTrade)) continue;
    const signIn = words.find((word) => word.meanings.includes('signIn') && !SIGN_UP.test(word.words));
    // "Confirm your sign-in" signs in. A sentence with more words also says what else is confirmed.
    if (kind === 'verify' && signIn !== undefined && isBeside(first, signIn))
      return { kind: 'magic', words: signIn.words, isWeak: false };
    if (kind === 'magic') {
      if (signIn !== undefined) return { kind, words: signIn.words, isWeak: !isLink };
      return { kind: 'verify', words: first.words, isWeak: true };
    }
    const isSingle = telling.length === 1 && words.length === 1 && !(kind === 'verify' && isOfAddress);
    return {
      kind,
      words: first.words,
      isWeak: meaning === 'password' || (isSingle && (kind === 'verify' || kind === 'invite')),
    };
  }
  return null;
}

/** The characters between two words of one phrase, such as " your ". */
const PHRASE = 8;

function isBeside(one: Word, other: Word): boolean {
  return Math.max(one.start, other.start) - Math.min(one.end, other.end) <= PHRASE;
}

function isOfTrade({ meanings, words }: Word): boolean {
  return (meanings[0] === 'number' || meanings[0] === 'offer') && !NO_TRADE.test(words);
}
