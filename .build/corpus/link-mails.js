// Writes link-mails.jsonl: mails with all their links and the kind of each, in the shapes that apps send, and traps: links
// of footers, of social profiles, tracked ones, pictures. The mails were written for this corpus, each sentence by its
// meaning in its language, and no finder was asked. The tokens come from a fixed seed.
import { link, Project } from './project.js';

const project = new Project('link-mails');
const { token, jwt } = project.random;
const e = (url) => url.replaceAll('&', '&amp;');

// A line has the subject, the sentence and the button of each kind. Then come unsubscribe, privacy, and open the page.
const WORDS = {
  en: 'Confirm your address|Thanks for signing up. Please confirm your email address.|Confirm email|Reset your password|Somebody asked for a new password for your account.|Choose a new password|Your sign-in link|Use this link to sign in. It works once.|Sign in|Grace invited you to Rocket|Grace would like you to join the team Rocket.|Accept invitation|Unsubscribe|Privacy|Continue',
  de: 'Bestätigen Sie Ihre Adresse|Danke für die Anmeldung. Bitte bestätigen Sie Ihre E-Mail-Adresse.|E-Mail bestätigen|Passwort zurücksetzen|Jemand hat für Ihr Konto ein neues Passwort angefordert.|Neues Passwort wählen|Ihr Anmeldelink|Mit diesem Link melden Sie sich an. Er gilt einmal.|Anmelden|Grace hat Sie zu Rocket eingeladen|Grace möchte Sie im Team Rocket dabeihaben.|Einladung annehmen|Newsletter abbestellen|Datenschutz|Weiter',
  fr: "Confirmez votre adresse|Merci pour votre inscription. Veuillez confirmer votre adresse e-mail.|Confirmer l'adresse|Réinitialisez votre mot de passe|Quelqu'un a demandé un nouveau mot de passe pour votre compte.|Choisir un nouveau mot de passe|Votre lien de connexion|Utilisez ce lien pour vous connecter. Il ne sert qu'une fois.|Se connecter|Grace vous invite à rejoindre Rocket|Grace souhaite que vous rejoigniez l'équipe Rocket.|Accepter l'invitation|Se désabonner|Confidentialité|Continuer",
  es: 'Confirma tu dirección|Gracias por registrarte. Confirma tu correo electrónico.|Confirmar correo|Restablece tu contraseña|Alguien ha pedido una nueva contraseña para tu cuenta.|Elegir una nueva contraseña|Tu enlace de acceso|Usa este enlace para iniciar sesión. Funciona una vez.|Iniciar sesión|Grace te ha invitado a Rocket|Grace quiere que te unas al equipo Rocket.|Aceptar la invitación|Darse de baja|Privacidad|Continuar',
  it: "Conferma il tuo indirizzo|Grazie per esserti registrato. Conferma il tuo indirizzo e-mail.|Conferma e-mail|Reimposta la password|Qualcuno ha chiesto una nuova password per il tuo account.|Scegli una nuova password|Il tuo link di accesso|Usa questo link per accedere. Funziona una volta sola.|Accedi|Grace ti ha invitato in Rocket|Grace vorrebbe che ti unissi al team Rocket.|Accetta l'invito|Annulla l'iscrizione|Privacy|Continua",
  'pt-BR':
    'Confirme seu endereço|Obrigado por se cadastrar. Confirme seu e-mail.|Confirmar e-mail|Redefina sua senha|Alguém pediu uma nova senha para a sua conta.|Escolher nova senha|Seu link de acesso|Use este link para entrar. Ele funciona uma vez.|Entrar|Grace convidou você para o Rocket|Grace gostaria que você participasse da equipe Rocket.|Aceitar convite|Cancelar inscrição|Privacidade|Continuar',
  nl: 'Bevestig je adres|Bedankt voor je registratie. Bevestig je e-mailadres.|E-mail bevestigen|Stel je wachtwoord opnieuw in|Iemand vroeg een nieuw wachtwoord aan voor je account.|Nieuw wachtwoord kiezen|Je inloglink|Gebruik deze link om in te loggen. Hij werkt één keer.|Inloggen|Grace heeft je uitgenodigd voor Rocket|Grace wil graag dat je bij het team Rocket komt.|Uitnodiging accepteren|Uitschrijven|Privacy|Doorgaan',
  sv: 'Bekräfta din adress|Tack för att du registrerade dig. Bekräfta din e-postadress.|Bekräfta e-post|Återställ ditt lösenord|Någon har begärt ett nytt lösenord för ditt konto.|Välj ett nytt lösenord|Din inloggningslänk|Använd länken för att logga in. Den fungerar en gång.|Logga in|Grace har bjudit in dig till Rocket|Grace vill att du går med i teamet Rocket.|Acceptera inbjudan|Avsluta prenumerationen|Integritet|Fortsätt',
  da: 'Bekræft din adresse|Tak for din tilmelding. Bekræft din e-mailadresse.|Bekræft e-mail|Nulstil din adgangskode|Nogen har bedt om en ny adgangskode til din konto.|Vælg en ny adgangskode|Dit login-link|Brug linket til at logge ind. Det virker én gang.|Log ind|Grace har inviteret dig til Rocket|Grace vil gerne have dig med på holdet Rocket.|Accepter invitationen|Afmeld nyhedsbrev|Privatliv|Fortsæt',
  nb: 'Bekreft adressen din|Takk for at du registrerte deg. Bekreft e-postadressen din.|Bekreft e-post|Tilbakestill passordet ditt|Noen har bedt om et nytt passord til kontoen din.|Velg et nytt passord|Din innloggingslenke|Bruk lenken for å logge inn. Den virker én gang.|Logg inn|Grace har invitert deg til Rocket|Grace vil ha deg med på laget Rocket.|Godta invitasjonen|Avslutt abonnementet|Personvern|Fortsett',
  fi: 'Vahvista osoitteesi|Kiitos rekisteröitymisestä. Vahvista sähköpostiosoitteesi.|Vahvista sähköposti|Palauta salasanasi|Tilillesi on pyydetty uutta salasanaa.|Valitse uusi salasana|Kirjautumislinkkisi|Kirjaudu sisään tällä linkillä. Se toimii kerran.|Kirjaudu sisään|Grace kutsui sinut tiimiin Rocket|Grace haluaa sinut mukaan tiimiin Rocket.|Hyväksy kutsu|Peruuta tilaus|Tietosuoja|Jatka',
  pl: 'Potwierdź swój adres|Dziękujemy za rejestrację. Potwierdź swój adres e-mail.|Potwierdź e-mail|Zresetuj hasło|Ktoś poprosił o nowe hasło do Twojego konta.|Ustaw nowe hasło|Twój link do logowania|Użyj tego linku, aby się zalogować. Działa tylko raz.|Zaloguj się|Grace zaprasza Cię do Rocket|Grace chce, abyś dołączył do zespołu Rocket.|Przyjmij zaproszenie|Wypisz się|Prywatność|Dalej',
  cs: 'Potvrďte svou adresu|Děkujeme za registraci. Potvrďte prosím svou e-mailovou adresu.|Potvrdit e-mail|Obnovte své heslo|Někdo požádal o nové heslo k vašemu účtu.|Zvolit nové heslo|Váš přihlašovací odkaz|Pomocí tohoto odkazu se přihlásíte. Platí jednou.|Přihlásit se|Grace vás pozvala do Rocket|Grace chce, abyste se přidali k týmu Rocket.|Přijmout pozvánku|Odhlásit odběr|Soukromí|Pokračovat',
  hu: 'Erősítse meg a címét|Köszönjük a regisztrációt. Kérjük, erősítse meg az e-mail-címét.|E-mail megerősítése|Állítsa vissza a jelszavát|Valaki új jelszót kért a fiókjához.|Új jelszó választása|Az Ön bejelentkezési linkje|Ezzel a linkkel jelentkezhet be. Egyszer működik.|Bejelentkezés|Grace meghívta Önt ide: Rocket|Grace szeretné, ha csatlakozna a Rocket csapathoz.|Meghívó elfogadása|Leiratkozás|Adatvédelem|Tovább',
  ro: 'Confirmă adresa ta|Îți mulțumim pentru înregistrare. Te rugăm să confirmi adresa de e-mail.|Confirmă e-mailul|Resetează-ți parola|Cineva a cerut o parolă nouă pentru contul tău.|Alege o parolă nouă|Linkul tău de autentificare|Folosește acest link pentru a te autentifica. Funcționează o singură dată.|Autentificare|Grace te-a invitat în Rocket|Grace dorește să te alături echipei Rocket.|Acceptă invitația|Dezabonare|Confidențialitate|Continuă',
  el: 'Επιβεβαιώστε τη διεύθυνσή σας|Ευχαριστούμε για την εγγραφή. Επιβεβαιώστε το email σας.|Επιβεβαίωση email|Επαναφορά του κωδικού σας|Κάποιος ζήτησε νέο κωδικό για τον λογαριασμό σας.|Επιλογή νέου κωδικού|Ο σύνδεσμος εισόδου σας|Με αυτόν τον σύνδεσμο συνδέεστε. Ισχύει μία φορά.|Σύνδεση|Η Grace σας προσκάλεσε στο Rocket|Η Grace θέλει να συμμετάσχετε στην ομάδα Rocket.|Αποδοχή πρόσκλησης|Κατάργηση εγγραφής|Απόρρητο|Συνέχεια',
  ru: 'Подтвердите адрес|Спасибо за регистрацию. Подтвердите адрес электронной почты.|Подтвердить почту|Сброс пароля|Кто-то запросил новый пароль для вашей учётной записи.|Задать новый пароль|Ссылка для входа|По этой ссылке вы войдёте. Она работает один раз.|Войти|Grace приглашает вас в Rocket|Grace хочет, чтобы вы присоединились к команде Rocket.|Принять приглашение|Отписаться|Конфиденциальность|Продолжить',
  uk: 'Підтвердьте адресу|Дякуємо за реєстрацію. Підтвердьте електронну адресу.|Підтвердити пошту|Скидання пароля|Хтось запросив новий пароль до вашого облікового запису.|Встановити новий пароль|Посилання для входу|За цим посиланням ви увійдете. Воно діє один раз.|Увійти|Grace запрошує вас до Rocket|Grace хоче, щоб ви приєдналися до команди Rocket.|Прийняти запрошення|Відписатися|Конфіденційність|Продовжити',
  tr: 'Adresinizi doğrulayın|Kaydolduğunuz için teşekkürler. Lütfen e-posta adresinizi doğrulayın.|E-postayı doğrula|Parolanızı sıfırlayın|Birisi hesabınız için yeni bir parola istedi.|Yeni parola seç|Giriş bağlantınız|Giriş yapmak için bu bağlantıyı kullanın. Bir kez çalışır.|Giriş yap|Grace sizi Rocket ekibine davet etti|Grace, Rocket ekibine katılmanızı istiyor.|Daveti kabul et|Abonelikten çık|Gizlilik|Devam',
  ja: 'メールアドレスの確認|ご登録ありがとうございます。メールアドレスを確認してください。|メールアドレスを確認する|パスワードの再設定|アカウントの新しいパスワードが要求されました。|新しいパスワードを設定する|ログイン用リンク|このリンクからログインできます。一度だけ有効です。|ログインする|GraceさんがRocketに招待しました|GraceさんがRocketチームへの参加を希望しています。|招待を承認する|配信停止|プライバシー|次へ',
  ko: '이메일 주소를 확인하세요|가입해 주셔서 감사합니다. 이메일 주소를 인증해 주세요.|이메일 인증하기|비밀번호 재설정|누군가 계정의 새 비밀번호를 요청했습니다.|새 비밀번호 설정|로그인 링크|이 링크로 로그인할 수 있습니다. 한 번만 사용할 수 있습니다.|로그인|Grace님이 Rocket에 초대했습니다|Grace님이 Rocket 팀에 참여하기를 원합니다.|초대 수락|구독 취소|개인정보|계속',
  'zh-Hans':
    '请验证您的邮箱|感谢您的注册。请验证您的电子邮箱。|验证邮箱|重置密码|有人为您的账户申请了新密码。|设置新密码|您的登录链接|使用此链接登录，仅可使用一次。|登录|Grace 邀请您加入 Rocket|Grace 希望您加入 Rocket 团队。|接受邀请|退订|隐私|继续',
  'zh-Hant':
    '請驗證您的信箱|感謝您的註冊。請驗證您的電子信箱。|驗證信箱|重設密碼|有人為您的帳號申請了新密碼。|設定新密碼|您的登入連結|使用此連結登入，僅可使用一次。|登入|Grace 邀請您加入 Rocket|Grace 希望您加入 Rocket 團隊。|接受邀請|取消訂閱|隱私權|繼續',
  ar: 'أكد عنوانك|شكرا لتسجيلك. يرجى تأكيد بريدك الإلكتروني.|تأكيد البريد|إعادة تعيين كلمة المرور|طلب شخص ما كلمة مرور جديدة لحسابك.|اختر كلمة مرور جديدة|رابط تسجيل الدخول|استخدم هذا الرابط لتسجيل الدخول. يعمل مرة واحدة.|تسجيل الدخول|دعتك Grace إلى Rocket|تريد Grace أن تنضم إلى فريق Rocket.|قبول الدعوة|إلغاء الاشتراك|الخصوصية|متابعة',
  he: 'אמתו את הכתובת|תודה שנרשמתם. אנא אמתו את כתובת האימייל.|אימות אימייל|איפוס סיסמה|מישהו ביקש סיסמה חדשה לחשבון שלכם.|בחירת סיסמה חדשה|קישור הכניסה שלכם|השתמשו בקישור כדי להתחבר. הוא פועל פעם אחת.|התחברות|Grace הזמינה אתכם להצטרף ל-Rocket|Grace רוצה שתצטרפו לצוות Rocket.|קבלת ההזמנה|ביטול הרשמה|פרטיות|המשך',
  fa: 'نشانی خود را تأیید کنید|از ثبت‌نام شما سپاسگزاریم. لطفاً ایمیل خود را تأیید کنید.|تأیید ایمیل|بازنشانی رمز عبور|شخصی رمز عبور جدیدی برای حساب شما درخواست کرده است.|انتخاب رمز عبور جدید|پیوند ورود شما|با این پیوند وارد شوید. فقط یک بار کار می‌کند.|ورود|Grace شما را به Rocket دعوت کرد|Grace می‌خواهد به تیم Rocket بپیوندید.|پذیرش دعوت|لغو اشتراک|حریم خصوصی|ادامه',
  hi: 'अपना पता सत्यापित करें|साइन अप करने के लिए धन्यवाद। कृपया अपना ईमेल सत्यापित करें।|ईमेल सत्यापित करें|अपना पासवर्ड रीसेट करें|किसी ने आपके खाते के लिए नया पासवर्ड मांगा है।|नया पासवर्ड चुनें|आपका लॉगिन लिंक|साइन इन करने के लिए इस लिंक का उपयोग करें। यह एक बार काम करता है।|साइन इन करें|Grace ने आपको Rocket में आमंत्रित किया|Grace चाहती हैं कि आप Rocket टीम में शामिल हों।|आमंत्रण स्वीकार करें|सदस्यता समाप्त करें|गोपनीयता|जारी रखें',
  th: 'ยืนยันที่อยู่ของคุณ|ขอบคุณที่สมัคร โปรดยืนยันอีเมลของคุณ|ยืนยันอีเมล|รีเซ็ตรหัสผ่านของคุณ|มีคนขอรหัสผ่านใหม่สำหรับบัญชีของคุณ|ตั้งรหัสผ่านใหม่|ลิงก์เข้าสู่ระบบของคุณ|ใช้ลิงก์นี้เพื่อเข้าสู่ระบบ ใช้ได้ครั้งเดียว|เข้าสู่ระบบ|Grace เชิญคุณเข้าร่วม Rocket|Grace อยากให้คุณเข้าร่วมทีม Rocket|ยอมรับคำเชิญ|ยกเลิกการรับข่าวสาร|ความเป็นส่วนตัว|ดำเนินการต่อ',
  vi: 'Xác nhận địa chỉ của bạn|Cảm ơn bạn đã đăng ký. Vui lòng xác nhận địa chỉ email.|Xác nhận email|Đặt lại mật khẩu|Ai đó đã yêu cầu mật khẩu mới cho tài khoản của bạn.|Chọn mật khẩu mới|Liên kết đăng nhập của bạn|Dùng liên kết này để đăng nhập. Chỉ dùng được một lần.|Đăng nhập|Grace đã mời bạn vào Rocket|Grace muốn bạn tham gia nhóm Rocket.|Chấp nhận lời mời|Hủy đăng ký|Quyền riêng tư|Tiếp tục',
  id: 'Konfirmasi alamat Anda|Terima kasih telah mendaftar. Silakan verifikasi alamat email Anda.|Verifikasi email|Atur ulang kata sandi|Seseorang meminta kata sandi baru untuk akun Anda.|Buat kata sandi baru|Tautan masuk Anda|Gunakan tautan ini untuk masuk. Hanya berlaku sekali.|Masuk|Grace mengundang Anda ke Rocket|Grace ingin Anda bergabung dengan tim Rocket.|Terima undangan|Berhenti berlangganan|Privasi|Lanjutkan',
  bg: 'Потвърдете адреса си|Благодарим за регистрацията. Потвърдете имейл адреса си.|Потвърждаване на имейла|Нулиране на паролата|Някой поиска нова парола за вашия акаунт.|Изберете нова парола|Връзка за вход|Влезте с тази връзка. Тя работи веднъж.|Вход|Grace ви покани в Rocket|Grace иска да се присъедините към екипа Rocket.|Приемане на поканата|Отписване|Поверителност|Напред',
  hr: 'Potvrdite svoju adresu|Hvala na registraciji. Potvrdite svoju e-adresu.|Potvrdi e-poštu|Ponovno postavite lozinku|Netko je zatražio novu lozinku za vaš račun.|Odaberite novu lozinku|Vaša poveznica za prijavu|Prijavite se ovom poveznicom. Vrijedi jednom.|Prijavi se|Grace vas je pozvala u Rocket|Grace želi da se pridružite timu Rocket.|Prihvati pozivnicu|Odjavi se s popisa|Privatnost|Nastavi',
};
const KINDS = ['verify', 'reset', 'magic', 'invite'];
const SOCIAL = ['https://x.com/acme', 'https://www.linkedin.com/company/acme', 'https://github.com/acme'];

/** A layout as newsletters and apps have it: a logo, a button, its address again, and a footer. */
function page({ intro, button, url, footer, hidden = '' }) {
  const social = SOCIAL.map((to) => `<a href="${to}"><img src="https://acme.example/s.png" alt="Acme"></a>`).join(' ');
  return `<html><body>${hidden}<table><tr><td><a href="https://acme.example/"><img src="https://acme.example/l.png" alt="Acme"></a></td></tr>
<tr><td><p>${intro}</p><a href="${e(url)}" style="display:inline-block">${button}</a></td></tr>
<tr><td><p>${social}</p>${footer}</td></tr></table></body></html>`;
}

const others = SOCIAL.map((url) => link(url, 'other', false));

let count = 0;
for (const [language, written] of Object.entries(WORDS)) {
  const words = written.split('|');
  const [unsubscribe, privacy, go] = words.slice(12);
  for (const [at, kind] of KINDS.entries()) {
    const [subject, intro, button] = words.slice(at * 3, at * 3 + 3);
    const url = `https://acme.example/${['a', 'go', 'l', 'r'][at]}/${token()}`;
    const off = `https://acme.example/p/${token()}`;
    const legal = 'https://acme.example/legal/7';
    const footer = `<a href="${off}">${unsubscribe}</a> · <a href="${legal}">${privacy}</a>`;
    const all = [link(url, kind), link(off, 'unsubscribe', false), link(legal, 'other', false), ...others];
    count += 1;
    switch (count % 5) {
      case 0:
        project.add({ language, subject, html: page({ intro, button, url, footer }), links: all });
        break;
      case 1: // The button says nothing. Subject and sentence tell.
        project.add({ language, subject, html: page({ intro, button: go, url, footer }), links: all });
        break;
      case 2: // Text alone: the address below its sentence, a footer below.
        project.add({
          language,
          subject,
          text: `${intro}\n\n${url}\n\n--\nAcme\n${privacy}: ${legal}\n${unsubscribe}: ${off}\n`,
          links: all.slice(0, 3),
        });
        break;
      case 3: {
        // The HTML is tracked, the text is not.
        const tracked = `https://u7.ct.sendgrid.net/ls/click?upn=u001.${token(60)}`;
        project.add({
          language,
          subject,
          text: `${intro}\n\n${button}: ${url}\n`,
          html: page({ intro, button, url: tracked, footer }),
          links: [link(url, kind), link(tracked, kind, false), ...all.slice(1)],
        });
        break;
      }
      default: // The subject is the name of the app.
        project.add({
          language,
          subject: 'Acme',
          text: `${intro}\n\n[${button}](${url})\n\n[${url}](${url})\n`,
          html: `<p>${intro}</p><p><a href="${e(url)}">${button}</a></p><p><a href="${e(url)}">${url}</a></p>`,
          links: [link(url, kind)],
        });
    }
  }
}

/** Mails in English, each a shape of its own. `main` is left out where a reader could mean two. */
const add = (subject, parts, links) => project.add({ language: 'en', subject, ...parts, links });
const a = (url, text, more = '') => `<a href="${e(url)}"${more}>${text}</a>`;

{
  const url = `https://blog.example/wp-login.php?login=ada&key=${token(20)}&action=rp`;
  const page = 'https://blog.example/wp-login.php';
  add(
    '[Blog] Password Reset',
    {
      text: `Someone asked to reset the password of this account:\n\nSite: Blog\nUsername: ada\n\nIf this was a mistake, ignore this email.\n\nTo set a new one, go to:\n\n${url}\n\nThis request came from 192.0.2.7.\n\n${page}\n`,
    },
    [link(url, 'reset'), link(page, 'other', false)],
  );
  const first = `https://blog.example/wp-login.php?login=ada&key=${token(20)}&action=rp`;
  add('[Blog] Login Details', { text: `Username: ada\n\nTo set your password, go to:\n\n${first}\n\n${page}\n` }, [
    link(first, 'reset'),
    link(page, 'other', false),
  ]);
}
{
  const footer = 'To change your notification preferences, click here: http://tracker.example/my/account';
  for (const [subject, line, path, kind] of [
    [
      'Your Tracker password',
      'To change your password, click on the following link:',
      'account/lost_password',
      'reset',
    ],
    [
      'Your Tracker account activation',
      'To activate your account, click on the following link:',
      'account/activate',
      'verify',
    ],
  ]) {
    const url = `https://tracker.example/${path}?token=${token()}`;
    add(subject, { text: `${line}\n${url}\n\nLogin: ada\n\n-- \n${footer}\n` }, [
      link(url, kind),
      link('http://tracker.example/my/account', 'other', false),
    ]);
  }
}
for (const [subject, intro, button, route, kind] of [
  [
    'Join Rocket',
    'You have been invited to the organization Rocket.',
    'Join Organization Now',
    'accept-organization?organizationId=7&email=a%40x.example&token=',
    'invite',
  ],
  [
    'Verify Your Email',
    'Verify this email address for your account.',
    'Verify Email Address Now',
    'verify-email?userId=7&token=',
    'verify',
  ],
  ['Verify your email', 'Finish creating your account.', 'Continue', 'finish-signup?fromEmail=true&token=', 'verify'],
  [
    'You were named an emergency contact',
    'Ada named you a contact.',
    'Become a contact',
    'accept-emergency?id=7&token=',
    'invite',
  ],
  ['Notice', 'Set a password for your account.', 'Open', 'reset-password?token=', 'reset'],
]) {
  const url = `https://vault.example/#/${route}${token(60)}`;
  const footer = `<p>© Vault, 100 Main Street</p>${a('https://vault.example/privacy', 'Privacy')}`;
  add(subject, { text: `${intro}\n\n${url}\n`, html: page({ intro, button, url, footer }) }, [
    link(url, kind),
    link('https://vault.example/privacy', 'other', false),
    ...others,
  ]);
}
for (const [subject, intro, button, path, kind] of [
  [
    'Reset password',
    'We got a request to change your password.',
    'Reset password',
    'ui/login/password/init?userID=7&orgID=9&code=H2K7QX',
    'reset',
  ],
  [
    'Verify email',
    'A new email was added.',
    'Verify email',
    'ui/login/mail/verification?userID=7&code=H2K7QX',
    'verify',
  ],
  ['Invitation to Id', 'Grace invited you.', 'Accept invite', 'ui/login/user/invite?userID=7&code=H2K7QX', 'invite'],
  [
    'n8n password reset',
    'A password reset was requested.',
    'Reset password',
    `change-password?token=${jwt()}&mfaEnabled=false`,
    'reset',
  ],
  [
    'You have been invited',
    'Grace invited you to automate.',
    'Set up your account',
    'signup?inviterId=5f1&inviteeId=7aa',
    'invite',
  ],
  ['Reset Password', 'Need a new password? Click this link.', 'https', `ghost/reset/${token()}/`, 'reset'],
  [
    'Grace has invited you to join Post',
    'You can write here now.',
    'Accept invite',
    `ghost/signup/${token()}/`,
    'invite',
  ],
  [
    'Your request',
    'Follow the link below.',
    'Continue',
    `auth/v1/verify?token=${token(56)}&type=recovery&redirect_to=https://app.example`,
    'reset',
  ],
  [
    'Your request',
    'Follow the link below.',
    'Continue',
    `auth/v1/verify?token=${token(56)}&type=email_change&redirect_to=https://app.example`,
    'verify',
  ],
  ['Your request', 'Follow the link below.', 'Continue', `auth/v1/verify?token=${token(56)}&type=magiclink`, 'magic'],
  ['Your request', 'Follow the link below.', 'Continue', `auth/v1/verify?token=${token(56)}&type=invite`, 'invite'],
  ['Your request', 'Follow the link below.', 'Continue', `callback#access_token=${jwt()}&type=recovery`, 'reset'],
  ['Reset your password', 'Press the button.', 'Confirm', `x/${token()}`, 'reset'],
  ['Confirm your new address', 'Press the button.', 'Confirm', `x/${token()}`, 'verify'],
  ['Reset your password', 'Press the button.', 'Reset password', `login/actions/${token()}`, 'reset'],
  [
    'Update your account',
    'Your administrator asks you to do this.',
    'Link to reset credentials',
    `k/${token()}`,
    'reset',
  ],
  ['Grace added you', 'You are now part of Rocket.', 'Claim seat', `team/join?code=${token(12)}`, 'invite'],
  ['Welcome', 'One step is left.', 'Confirm mailbox', `k/${token()}`, 'verify'],
  [
    'Unlock your account',
    'It was locked after wrong passwords.',
    'Unlock my account',
    `users/unlock?unlock_token=${token(20)}`,
    'other',
  ],
]) {
  const url = `https://id.example/${path}`;
  const html = `<p>${intro}</p><p>${a(url, button === 'https' ? e(url) : button)}</p><p>If you did not ask for this, do nothing.</p>`;
  add(subject, { html }, [link(url, kind)]);
}
{
  const order = `https://shop.example/orders/7?key=${token(24)}`;
  const reset = 'https://shop.example/account/reset-password';
  const off = `https://shop.example/e/${token()}`;
  add(
    'Confirmation of your order 7',
    {
      html: `${a('https://shop.example/', 'Shop')}<p>Thank you.</p>${a(order, 'View your order')}<p>Forgot your password? ${a(reset, 'Reset it')} · ${a(off, 'Unsubscribe')}</p>`,
    },
    [link(order, 'other', false), link(reset, 'reset', false), link(off, 'unsubscribe', false)],
  );
  const story = 'https://news.example/2026/a-story-about-how-to-reset-your-password-today-and-tomorrow';
  const web = `https://news.example/web/${token()}`;
  add(
    'This week: reset your habits',
    {
      html: `${a(web, 'View in browser')}<h1>News</h1>${a(story, 'Read the story')}<p>${a(off, 'unsubscribe')} ${a(SOCIAL[0], 'X')}</p>`,
    },
    [
      link(story, 'other', false),
      link(web, 'other', false),
      link(off, 'unsubscribe', false),
      link(SOCIAL[0], 'other', false),
    ],
  );
  const review = `https://id.example/activity?id=${token(24)}`;
  add(
    'New sign-in to your account',
    { html: `<p>Somebody signed in from Firefox.</p>${a(review, 'Review activity')}` },
    [link(review, 'other')],
  );
  add('Your booking is confirmed', { html: `<p>Your booking is confirmed.</p>${a(review, 'Manage booking')}` }, [
    link(review, 'other'),
  ]);
  add('Your invoice', { html: `<p>Please find your invoice.</p>${a(review, 'Download')}` }, [link(review, 'other')]);
}
{
  const url = `https://acme.example/v/${token()}`;
  add('Acme', { html: `<a href="${url}" aria-label="Verify your email address"><img src="b.png"></a>` }, [
    link(url, 'verify'),
  ]);
  add('Acme', { html: `<a href="${url}" title="Reset your password"><img src="b.png" alt=""></a>` }, [
    link(url, 'reset'),
  ]);
  add('Acme', { html: `<p>Activate your account</p><table><tr><td><a href="${url}">→</a></td></tr></table>` }, [
    link(url, 'verify'),
  ]);
  const app = `myapp://login?token=${token()}`;
  add('Sign in', { text: `Sign in to the app:\n${app}\n` }, [link(app, 'magic')]);
  add('Sign in', { html: `${a(app, 'Open the app')}<p>or</p>${a(url, 'Sign in on the web')}` }, [
    link(url, 'magic'),
    link(app, 'magic', false),
  ]);
}
project.save();
