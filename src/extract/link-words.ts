export const LINK_KINDS = ['verify', 'magic', 'reset', 'invite', 'unsubscribe', 'other'] as const;
/** The effect of following a link. */
export type LinkKind = (typeof LINK_KINDS)[number];

// All words are in lower case. The first match decides: a link that confirms a reset is a reset.
const SAID: readonly (readonly [Exclude<LinkKind, 'other'>, string])[] = [
  [
    'unsubscribe',
    `unsubscribe|opt out|opt-out|email preferences|manage preferences|notification settings|stop receiving|no longer wish
abmelden|abbestellen|austragen|désabonner|désinscrire|se désinscrire|darse de baja|cancelar suscripción|dar de baja|cancelar inscrição|descadastrar|disiscriviti|cancella iscrizione|uitschrijven|afmelden|wypisz|zrezygnuj z subskrypcji|отписаться|отказаться от рассылки|abonelikten çık|aboneliği iptal|退订|取消订阅|取消訂閱|配信停止|配信を停止|購読解除|수신거부|수신 거부|구독 취소|إلغاء الاشتراك|הסרה מרשימת|להסרה|ביטול הרשמה`,
  ],
  [
    'reset',
    `reset password|reset your password|reset my password|password reset|choose a new password|set a new password|set new password|create a new password|change your password|change my password|change password|recover your account|forgot your password|forgot password
passwort zurücksetzen|kennwort zurücksetzen|neues passwort|réinitialiser|nouveau mot de passe|restablecer|nueva contraseña|redefinir|nova senha|reimposta|nuova password|wachtwoord opnieuw|wachtwoord herstellen|nieuw wachtwoord|zresetuj|resetuj hasło|nowe hasło|сбросить пароль|сброс пароля|новый пароль|şifremi sıfırla|şifrenizi sıfırla|şifre sıfırla|parolanızı sıfırla|重置密码|重設密碼|パスワードを再設定|パスワード再設定|パスワードのリセット|비밀번호 재설정|إعادة تعيين|איפוס סיסמה|לאיפוס`,
  ],
  [
    'invite',
    `accept invitation|accept invite|accept the invitation|accept your invitation|join the team|join team|join workspace|join the workspace|view invitation|invitation|invited you|join now
einladung|invitation à|accepter l'invitation|rejoindre|aceptar invitación|aceptar la invitación|invitación|aceitar convite|convite|accetta invito|invito|uitnodiging|zaproszenie|приглашение|daveti kabul|davet|接受邀请|邀请|招待|초대|دعوة|הזמנה להצטרף|קבלת הזמנה`,
  ],
  ['magic', 'confirm sign-in|confirm sign in|confirm your sign-in|confirm login|magic link|magic-link'],
  [
    'verify',
    `verify|confirm your|confirm email|confirm my|confirm account|confirm address|confirm subscription|confirm registration|activate|activation|validate your|complete registration|complete your registration|finish signing up
bestätigen|bestätige|verifizieren|aktivieren|confirmer|vérifier|activer mon|activer votre|verificar|confirmar|activar|ativar|verifica|conferma|attiva|verifiëren|verifieer|bevestig|activeer|zweryfikuj|potwierdź|aktywuj|подтвердить|подтвердите|активировать|doğrula|onayla|etkinleştir|验证|驗證|确认邮箱|激活|確認する|認証する|メールアドレスを確認|メールアドレスの確認|인증하기|이메일 인증|이메일 확인|تأكيد|تحقق|تفعيل|אימות|אישור כתובת|לאמת`,
  ],
  [
    'magic',
    `sign in|sign-in|log in|log-in|login|one-click
anmelden|einloggen|se connecter|connectez-vous|connexion|iniciar sesión|acceder|entrar|accedi|inloggen|zaloguj|войти|giriş yap|oturum aç|登录|登入|ログイン|로그인|تسجيل الدخول|התחברות|כניסה`,
  ],
];

const RULES = SAID.map(([kind, words]) => ({ kind, words: words.split(/[|\n]/) }));
const SPACED = /[\p{Script=Latin}\p{Script=Cyrillic}0-9]/u;

export interface Said {
  readonly kind: Exclude<LinkKind, 'other'>;
  readonly words: string;
}

/** Returns the kind of link that the words describe. Null if they describe none. */
export function kindSaid(text: string): Said | null {
  const lower = text.replaceAll('İ', 'i').toLowerCase();
  for (const { kind, words } of RULES) {
    const said = words.find((each) => hasWord(lower, each));
    if (said !== undefined) return { kind, words: said };
  }
  return null;
}

/** Matches at the start of a word, because endings vary. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!(SPACED.test(text.charAt(at - 1)) && SPACED.test(word.charAt(0)))) return true;
  }
  return false;
}

const IN_URL: readonly (readonly [Exclude<LinkKind, 'other'>, readonly string[]])[] = [
  ['unsubscribe', ['unsubscribe', 'unsub', 'optout', 'opt-out', 'list-unsubscribe', 'email-preferences']],
  [
    'reset',
    [
      'reset',
      'reset-password',
      'password-reset',
      'resetpassword',
      'passwordreset',
      'forgot',
      'forgot-password',
      'recover',
      'recovery',
      'new-password',
    ],
  ],
  ['invite', ['invite', 'invites', 'invitation', 'invitations', 'accept-invite', 'accept-invitation', 'acceptinvite']],
  ['magic', ['magic', 'magiclink', 'magic-link', 'magic-login', 'passwordless']],
  [
    'verify',
    [
      'verify',
      'verification',
      'confirm',
      'confirmation',
      'activate',
      'activation',
      'verify-email',
      'verifyemail',
      'email-verification',
      'confirm-email',
      'confirmemail',
      'signup',
      'validate-email',
    ],
  ],
  ['magic', ['login', 'signin', 'sign-in', 'log-in']],
];
const TELLING = new Set(['type', 'mode', 'action', 'flow']);
/** Parameter names that reveal the kind, such as `reset_password_token`. */
const TELLING_TOKEN: readonly (readonly [Exclude<LinkKind, 'other'>, RegExp])[] = [
  ['reset', /^reset.*token$/],
  ['verify', /^(?:confirm|verif|activat).*token$/],
  ['invite', /^invit.*token$/],
];
const SECRET = /^(?=[^0-9]*[0-9])[A-Za-z0-9_.~+/=-]{12,}$/;
const SECRET_NAME = /^(?:t|tok|code|key|otp|hash|h|sig|signature|ticket|secret|jwt|nonce|oobcode)$|token$/i;
/** A page title in an address: words joined by hyphens. */
const SLUG = /(?:^|-)[a-z]{3,}-[a-z]{3,}(?:-|$)/;
/** Path segments of pages that only inform. */
const HELP =
  /^(?:help|support|docs?|documentation|faq|blog|kb|hc|articles?|guides?|learn|privacy|terms|legal|policies)$/;

/** Returns the kind that the path or a parameter reveals. Null if neither does. */
export function kindInUrl(url: URL): Said | null {
  const segments = segmentsOf(url);
  const tokens = [...url.searchParams.keys()].slice(0, 50).map((name) => name.toLowerCase().replaceAll('_', '-'));
  for (const [kind, named] of TELLING_TOKEN) {
    const words = tokens.find((name) => named.test(name));
    if (words !== undefined) return { kind, words };
  }
  const values = [...url.searchParams].slice(0, 50).flatMap(([name, value]) => (TELLING.has(name) ? [value] : []));
  // Parameters come first: they name the action, while a path often names only the page.
  for (const names of [values, segments]) {
    const lower = new Set(
      names.map((each) =>
        each
          .toLowerCase()
          .replace(/\.[a-z]{2,4}$/, '')
          .replaceAll('_', '-'),
      ),
    );
    for (const [kind, words] of IN_URL) {
      const word = words.find((each) => lower.has(each));
      if (word !== undefined) return { kind, words: word };
    }
  }
  return kindInWords(segments);
}

/** Words of one path segment that reveal a kind together: `reset_password_complete`, `doVerifyEmail`. */
const TOGETHER: readonly (readonly [Exclude<LinkKind, 'other'>, readonly RegExp[]])[] = [
  ['unsubscribe', [/^unsubscribe$/]],
  ['reset', [/^(?:reset|forgot|forgotten|recover|change|new|set|choose)$/, /^(?:password|passwd|pwd|pass)$/]],
  [
    'invite',
    [/^(?:invite|invited|invitation|invitations)$/, /^(?:accept|join|user|team|complete|signup|member|link)$/],
  ],
  ['magic', [/^magic$/, /^(?:link|login|signin|auth|token)$/]],
  [
    'verify',
    [
      /^(?:verify|verification|confirm|confirmation|activate|activation|validate)$/,
      /^(?:do|e?mail|account|user|address|signup|registration|complete|token|link|identity|subscription)$/,
    ],
  ],
  ['verify', [/^(?:signup|register|registration)$/, /^(?:complete|confirm|finish|verify)$/]],
  ['magic', [/^(?:login|signin|logon)$/, /^(?:token|link|e?mail|complete)$/]],
];
/** The number of words of a segment. A segment with more is a page title. */
const MOST_WORDS = 4;

/** Returns the kind that the words of one segment reveal together. */
function kindInWords(segments: readonly string[]): Said | null {
  for (const segment of segments) {
    const words = segment
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[-_.]/);
    if (words.length < 2 || words.length > MOST_WORDS) continue;
    const told = TOGETHER.find(([, all]) => all.every((one) => words.some((word) => one.test(word))));
    if (told !== undefined) return { kind: told[0], words: segment };
  }
  return null;
}

/** Tells whether an address carries a secret. A magic link does, and a general sign-in page does not. */
export function carriesSecret(url: URL): boolean {
  const parameters = [...url.searchParams].slice(0, 50);
  if (parameters.some(([name, value]) => value !== '' && SECRET_NAME.test(name))) return true;
  const values = [...parameters.map(([, value]) => value), ...segmentsOf(url), url.hash.split('=').at(-1) ?? ''];
  return values.some((value) => (SECRET.test(value) && !SLUG.test(value)) || value.length >= 40);
}

/**
 * Tells whether an address is a magic link with a token, such as `/magic-link/abc123`, and not a page about such links.
 */
export function isMagicAddress(url: URL): boolean {
  const segments = segmentsOf(url).map((segment) => segment.toLowerCase().replaceAll('_', '-'));
  const at = segments.findIndex((segment) => /^(?:magic|magic-?link|magic-login|passwordless)$/.test(segment));
  return at >= 0 && (at < segments.length - 1 || carriesSecret(url));
}

/** Tells whether an address is a help or legal page. Following it has no effect, whatever its text says. */
export function isHelpPage(url: URL): boolean {
  const isHelp =
    /^(?:help|support|docs|faq|blog)\./.test(url.hostname) || segmentsOf(url).some((each) => HELP.test(each));
  return isHelp && !carriesSecret(url);
}

function segmentsOf(url: URL): string[] {
  return url.pathname.split('/', 50).filter((segment) => segment !== '');
}
