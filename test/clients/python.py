# Mail clients of Python: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
import asyncio, logging, logging.handlers, os, smtplib, socket, ssl, sys
from email.message import EmailMessage

HOST, PORT, TLS_PORT = os.environ["HOST"], int(os.environ["PORT"]), int(os.environ["TLS_PORT"])
FROM = "app@example.com"
socket.setdefaulttimeout(10)


def address(name):
    return f"{name}@inbox.mailcap.example.com"


def mail(name):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = FROM, address(name), name
    message.set_content("Hello.")
    return message


def by_smtplib(prepare=lambda s: None, make=lambda: smtplib.SMTP(HOST, PORT)):
    def send(name):
        with make() as s:
            prepare(s)
            s.send_message(mail(name))
    return send


def by_aiosmtplib(**options):
    def send(name):
        import aiosmtplib
        asyncio.run(aiosmtplib.send(mail(name), hostname=HOST, **{"port": PORT, **options}))
    return send


def by_django(**settings):
    def send(name):
        from django.conf import settings as configured
        if not configured.configured:
            configured.configure(EMAIL_HOST=HOST)
        for key, value in {"EMAIL_HOST_USER": "", "EMAIL_HOST_PASSWORD": "", "EMAIL_USE_TLS": False, "EMAIL_USE_SSL": False, "EMAIL_PORT": PORT, **settings}.items():
            setattr(configured, key, value)
        from django.core.mail import send_mail
        send_mail(name, "Hello.", FROM, [address(name)])
    return send


def by_flask(library, **settings):
    def send(name):
        from flask import Flask
        app = Flask("app")
        app.config.update(MAIL_SERVER=HOST, **{"MAIL_PORT": PORT, **settings})
        if library == "flask_mail":
            from flask_mail import Mail, Message
            with app.app_context():
                Mail(app).send(Message(name, sender=FROM, recipients=[address(name)], body="Hello."))
        else:
            from flask_mailman import EmailMessage as Message, Mail
            Mail(app)
            with app.app_context():
                Message(name, "Hello.", FROM, [address(name)]).send()
    return send


def by_fastapi(**options):
    # It takes no address of a domain that is reserved for tests.
    def send(name):
        from fastapi_mail import ConnectionConfig, FastMail, MessageSchema, MessageType
        config = ConnectionConfig(**{"MAIL_USERNAME": "", "MAIL_PASSWORD": "", "MAIL_FROM": FROM, "MAIL_PORT": PORT, "MAIL_SERVER": HOST, "MAIL_STARTTLS": False, "MAIL_SSL_TLS": False, "USE_CREDENTIALS": False, **options})
        asyncio.run(FastMail(config).send_message(MessageSchema(subject=name, recipients=[f"{name}@example.com"], body="Hello.", subtype=MessageType.plain)))
    return send


def yagmail(name):
    import yagmail
    yagmail.SMTP(FROM, "secret", host=HOST, port=PORT, smtp_starttls=False, smtp_ssl=False).send(address(name), name, "Hello.")


def by_redmail(**options):
    def send(name):
        from redmail import EmailSender
        EmailSender(host=HOST, port=PORT, **options).send(subject=name, sender=FROM, receivers=[address(name)], text="Hello.")
    return send


def by_emails(**options):
    def send(name):
        import emails
        sent = emails.Message(subject=name, mail_from=FROM, text="Hello.").send(to=address(name), smtp={"host": HOST, "port": PORT, "fail_silently": False, **options})
        assert sent.status_code == 250, sent.error
    return send


def handler(name):
    failures = []
    log = logging.Logger(name)
    smtp = logging.handlers.SMTPHandler((HOST, PORT), FROM, [address(name)], name)
    smtp.handleError = lambda record: failures.append(sys.exc_info()[1])
    log.addHandler(smtp)
    log.error("Hello.")
    if failures:
        raise failures[0]


def pycurl(name):
    import io, pycurl
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, f"smtp://{HOST}:{PORT}")
    curl.setopt(pycurl.MAIL_FROM, FROM)
    curl.setopt(pycurl.MAIL_RCPT, [address(name)])
    curl.setopt(pycurl.READDATA, io.BytesIO(mail(name).as_bytes()))
    curl.setopt(pycurl.UPLOAD, 1)
    curl.perform()


LOGIN = {"EMAIL_HOST_USER": "app", "EMAIL_HOST_PASSWORD": "secret"}
CONFIGURATIONS = {
    "smtplib": by_smtplib(),
    "smtplib-login": by_smtplib(lambda s: s.login("app", "secret")),
    "smtplib-starttls": by_smtplib(lambda s: s.starttls()),
    "smtplib-starttls-verified": by_smtplib(lambda s: s.starttls(context=ssl.create_default_context())),
    "smtplib-ssl": by_smtplib(make=lambda: smtplib.SMTP_SSL(HOST, TLS_PORT, context=ssl.create_default_context())),
    "aiosmtplib": by_aiosmtplib(),
    "aiosmtplib-auth": by_aiosmtplib(username="app", password="secret"),
    "aiosmtplib-starttls": by_aiosmtplib(start_tls=True),
    "aiosmtplib-tls": by_aiosmtplib(port=TLS_PORT, use_tls=True),
    "django": by_django(),
    "django-auth": by_django(**LOGIN),
    "django-tls": by_django(EMAIL_USE_TLS=True, **LOGIN),
    "django-ssl": by_django(EMAIL_USE_SSL=True, EMAIL_PORT=TLS_PORT),
    "flask-mail": by_flask("flask_mail"),
    "flask-mail-auth": by_flask("flask_mail", MAIL_USERNAME="app", MAIL_PASSWORD="secret"),
    "flask-mail-tls": by_flask("flask_mail", MAIL_USE_TLS=True),
    "flask-mailman": by_flask("flask_mailman"),
    "fastapi-mail": by_fastapi(),
    "fastapi-mail-auth": by_fastapi(MAIL_USERNAME="app", MAIL_PASSWORD="secret", USE_CREDENTIALS=True),
    "fastapi-mail-starttls": by_fastapi(MAIL_STARTTLS=True),
    "yagmail": yagmail,
    "redmail": by_redmail(use_starttls=False),
    "redmail-starttls": by_redmail(),
    "emails": by_emails(),
    "emails-auth": by_emails(user="app", password="secret"),
    "logging-smtphandler": handler,
    "pycurl": pycurl,
}

for name in sys.argv[1:]:
    try:
        CONFIGURATIONS[name](name)
        told = "ok"
    except Exception as error:
        told = f"{type(error).__name__}: {error}".split("\n")[0]
    print(f"{name}\t{told}", flush=True)
