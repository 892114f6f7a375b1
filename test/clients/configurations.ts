/**
 * A program of this directory. It sends one mail for each configuration, to `<configuration>@inbox.mailcap.example.com`, with
 * several clients.
 */
export type Program = 'node' | 'python' | 'ruby' | 'php' | 'perl' | 'shell' | 'go' | 'java' | 'rust';

export interface Configuration {
  readonly name: string;
  readonly program: Program;
  readonly client: string;
  readonly settings: string;
  /** True if the client requires TLS. */
  readonly wantsTls: boolean;
}

type Row = readonly [name: string, settings: string, wantsTls?: 'TLS'];

const of = (program: Program, client: string, rows: readonly Row[]): Configuration[] =>
  rows.map(([name, settings, wantsTls]) => ({ name, program, client, settings, wantsTls: wantsTls !== undefined }));

/** The configurations: a client with the settings of its quick start, or with other common ones. */
export const CONFIGURATIONS: readonly Configuration[] = [
  ...of('node', 'Nodemailer 10', [
    ['nodemailer-host-port', '`host`, `port`'],
    ['nodemailer-secure-false', '`secure: false`'],
    ['nodemailer-auth', '`auth`'],
    ['nodemailer-pool', '`pool: true`'],
    ['nodemailer-url', '`createTransport(process.env.MAILCAP_SMTP_URL)`'],
    ['nodemailer-url-auth', '`smtp://user:password@host:port`'],
    ['nodemailer-ignoretls', '`ignoreTLS: true`'],
    ['nodemailer-requiretls', '`requireTLS: true`', 'TLS'],
    ['nodemailer-secure', '`secure: true`, the TLS port', 'TLS'],
  ]),
  ...of('node', 'Nodemailer 7', [['nodemailer-7', '`host`, `port`']]),
  ...of('node', 'Nodemailer 6', [['nodemailer-6', '`host`, `port`']]),
  ...of('node', 'emailjs', [
    ['emailjs-host-port', '`host`, `port`'],
    ['emailjs-auth', '`user`, `password`'],
    ['emailjs-tls', '`tls: true`', 'TLS'],
  ]),
  ...of('node', 'email-templates', [['email-templates', '`transport: { host, port }`']]),
  ...of('python', 'Python smtplib', [
    ['smtplib', '`SMTP(host, port)`'],
    ['smtplib-login', '`login()`'],
    ['smtplib-starttls', '`starttls()`', 'TLS'],
    ['smtplib-starttls-verified', '`starttls(context=create_default_context())`', 'TLS'],
    ['smtplib-ssl', '`SMTP_SSL`, the TLS port', 'TLS'],
  ]),
  ...of('python', 'Python logging', [['logging-smtphandler', '`SMTPHandler`']]),
  ...of('python', 'aiosmtplib', [
    ['aiosmtplib', '`send(hostname, port)`'],
    ['aiosmtplib-auth', '`username`, `password`'],
    ['aiosmtplib-starttls', '`start_tls=True`', 'TLS'],
    ['aiosmtplib-tls', '`use_tls=True`, the TLS port', 'TLS'],
  ]),
  ...of('python', 'Django', [
    ['django', '`EMAIL_HOST`, `EMAIL_PORT`'],
    ['django-auth', '`EMAIL_HOST_USER`'],
    ['django-tls', '`EMAIL_USE_TLS`', 'TLS'],
    ['django-ssl', '`EMAIL_USE_SSL`, the TLS port', 'TLS'],
  ]),
  ...of('python', 'Flask-Mail', [
    ['flask-mail', '`MAIL_SERVER`, `MAIL_PORT`'],
    ['flask-mail-auth', '`MAIL_USERNAME`'],
    ['flask-mail-tls', '`MAIL_USE_TLS`', 'TLS'],
  ]),
  ...of('python', 'Flask-Mailman', [['flask-mailman', '`MAIL_SERVER`, `MAIL_PORT`']]),
  ...of('python', 'FastAPI-Mail', [
    ['fastapi-mail', '`MAIL_STARTTLS=False`'],
    ['fastapi-mail-auth', '`USE_CREDENTIALS=True`'],
    ['fastapi-mail-starttls', '`MAIL_STARTTLS=True`', 'TLS'],
  ]),
  ...of('python', 'yagmail', [['yagmail', '`smtp_starttls=False, smtp_ssl=False`']]),
  ...of('python', 'Red Mail', [
    ['redmail', '`use_starttls=False`'],
    ['redmail-starttls', '`EmailSender(host, port)`', 'TLS'],
  ]),
  ...of('python', 'python-emails', [
    ['emails', '`smtp={host, port}`'],
    ['emails-auth', '`user`, `password`'],
  ]),
  ...of('python', 'PycURL', [['pycurl', '`smtp://`']]),
  ...of('go', 'Go net/smtp', [
    ['go-net-smtp', '`SendMail`'],
    ['go-net-smtp-auth', '`PlainAuth`'],
  ]),
  ...of('go', 'gomail.v2', [
    ['gomail', '`NewDialer`'],
    ['gomail-auth', 'a user name'],
    ['gomail-ssl', '`SSL: true`, the TLS port', 'TLS'],
  ]),
  ...of('go', 'go-mail/mail.v2', [
    ['mail-v2', '`NewDialer`'],
    ['mail-v2-auth', 'a user name'],
  ]),
  ...of('go', 'wneessen/go-mail', [
    ['go-mail', '`NewClient`, whose default is `TLSMandatory`', 'TLS'],
    ['go-mail-opportunistic', '`TLSOpportunistic`'],
    ['go-mail-notls', '`NoTLS`'],
    ['go-mail-auth', '`WithSMTPAuth`'],
  ]),
  ...of('go', 'jordan-wright/email', [['jordan-wright-email', '`Send`']]),
  ...of('go', 'emersion/go-smtp', [
    ['emersion-smtp', '`SendMail`, which asks for STARTTLS', 'TLS'],
    ['emersion-smtp-plain', '`Dial`'],
  ]),
  ...of('ruby', 'Ruby net/smtp', [
    ['net-smtp', '`start`'],
    ['net-smtp-auth', '`start(..., user, secret, :plain)`'],
    ['net-smtp-starttls', '`enable_starttls`', 'TLS'],
    ['net-smtp-tls', '`enable_tls`, the TLS port', 'TLS'],
  ]),
  ...of('ruby', 'Ruby mail', [
    ['mail', '`address`, `port`'],
    ['mail-auth', '`user_name`, `authentication: :plain`'],
    ['mail-starttls-auto-false', '`enable_starttls_auto: false`'],
    ['mail-starttls', '`enable_starttls: true`', 'TLS'],
  ]),
  ...of('ruby', 'Rails Action Mailer', [
    ['action-mailer', '`address`, `port`'],
    ['action-mailer-auth', '`user_name`, `enable_starttls_auto: true`'],
  ]),
  ...of('php', 'PHPMailer', [
    ['phpmailer', '`Host`, `Port`'],
    ['phpmailer-auth', '`SMTPAuth`'],
    ['phpmailer-starttls', '`SMTPSecure = "tls"`', 'TLS'],
    ['phpmailer-smtps', '`SMTPSecure = "ssl"`, the TLS port', 'TLS'],
  ]),
  ...of('php', 'Symfony Mailer (Laravel)', [
    ['symfony', '`smtp://host:port`'],
    ['symfony-auth', '`smtp://user:password@host:port`'],
    ['symfony-smtps', '`smtps://host:port`', 'TLS'],
  ]),
  ...of('php', 'Swift Mailer', [
    ['swiftmailer', '`host`, `port`'],
    ['swiftmailer-auth', '`setUsername`'],
    ['swiftmailer-tls', '`"tls"`', 'TLS'],
  ]),
  ...of('php', 'PEAR Mail', [
    ['pear-mail', '`host`, `port`'],
    ['pear-mail-auth', '`auth`'],
  ]),
  ...of('java', 'Jakarta Mail', [
    ['jakarta', '`mail.smtp.host`, `port`'],
    ['jakarta-auth', '`mail.smtp.auth`'],
    ['jakarta-starttls-enable', '`starttls.enable`, `auth`'],
    ['jakarta-starttls-required', '`starttls.required`', 'TLS'],
    ['jakarta-ssl', '`ssl.enable`, the TLS port', 'TLS'],
  ]),
  ...of('java', 'Spring JavaMailSender', [
    ['spring', '`host`, `port`'],
    ['spring-auth', '`username`, `auth`'],
    ['spring-starttls-enable', '`starttls.enable`, `auth`'],
  ]),
  ...of('java', 'Commons Email', [
    ['commons-email', '`setHostName`'],
    ['commons-email-starttls', '`setStartTLSEnabled(true)`'],
  ]),
  ...of('java', 'Simple Java Mail', [['simple-java-mail', '`TransportStrategy.SMTP`']]),
  ...of('java', 'Vert.x Mail', [['vertx-mail', '`hostname`, `port`']]),
  ...of('java', 'Commons Net', [['commons-net', '`SMTPClient`']]),
  ...of('rust', 'lettre', [
    ['lettre', '`builder_dangerous`'],
    ['lettre-auth', '`credentials`'],
    ['lettre-url', '`from_url("smtp://...")`'],
    ['lettre-opportunistic', '`Tls::Opportunistic`'],
    ['lettre-starttls', '`starttls_relay`', 'TLS'],
    ['lettre-tls', '`relay`, the TLS port', 'TLS'],
  ]),
  ...of('perl', 'Perl Net::SMTP', [
    ['perl-net-smtp', '`new(host, Port)`'],
    ['perl-net-smtp-auth', '`auth`'],
    ['perl-net-smtp-starttls', '`starttls`', 'TLS'],
  ]),
  ...of('perl', 'Email::Sender', [
    ['email-sender', '`host`, `port`'],
    ['email-sender-auth', '`sasl_username`'],
    ['email-sender-starttls', '`ssl => "starttls"`', 'TLS'],
  ]),
  ...of('perl', 'MIME::Lite', [['mime-lite', '`send("smtp", host)`']]),
  ...of('perl', 'Mail::Sendmail', [['mail-sendmail', '`smtp => host:port`']]),
  ...of('shell', 'curl', [
    ['curl', '`smtp://`'],
    ['curl-ssl', '`--ssl`'],
    ['curl-auth', '`--user`'],
    ['curl-ssl-reqd', '`--ssl-reqd`', 'TLS'],
    ['curl-smtps', '`smtps://`', 'TLS'],
  ]),
  ...of('shell', 'swaks', [
    ['swaks', '`--server`'],
    ['swaks-tls-optional', '`--tls-optional`'],
    ['swaks-auth', '`--auth PLAIN`'],
    ['swaks-tls', '`--tls`', 'TLS'],
  ]),
  ...of('shell', 'Mutt', [
    ['mutt-plain', '`ssl_force_tls = no`, `ssl_starttls = no`'],
    ['mutt', "`smtp_url`; Debian's default is `ssl_force_tls`", 'TLS'],
  ]),
  ...of('shell', 'NeoMutt', [
    ['neomutt-plain', '`ssl_force_tls = no`, `ssl_starttls = no`'],
    ['neomutt', "`smtp_url`; Debian's default is `ssl_force_tls`", 'TLS'],
  ]),
  ...of('shell', 'msmtp', [
    ['msmtp', '`--host`, `--port`'],
    ['msmtp-auth', '`--auth=plain --tls=off`'],
    ['msmtp-tls', '`--tls=on`', 'TLS'],
  ]),
  ...of('shell', 'S-nail', [
    ['s-nail', '`mta=smtp://`'],
    ['s-nail-starttls', '`smtp-use-starttls`', 'TLS'],
  ]),
  ...of('shell', 'sendEmail', [['sendemail', '`-s host:port`']]),
  ...of('shell', 'git send-email', [['git-send-email', '`--smtp-server`']]),
  ...of('shell', 'GNU Mailutils', [['mailutils', '`sendmail=smtp://`']]),
  ...of('shell', 'esmtp', [['esmtp', '`hostname=`']]),
  ...of('shell', 'Tcl smtp', [['tcl', '`-servers`, `-ports`']]),
  ...of('shell', 'LuaSocket', [['lua', '`server`, `port`']]),
];
