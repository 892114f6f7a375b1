"""Renders the mails of test/corpus/rendered from the templates and the translations of packages of PyPI.

    pip download --no-deps django-allauth==65.21.1 ...   (the README of that folder has the list)
    unzip each wheel into <packages>/<name>
    pip install "django==5.2.*" jinja2 babel
    python .build/corpus/render.py <packages>

The templates and sentences are theirs. Every value that a test looks for (codes, links, names, numbers) is made here from
a fixed seed, before anything is rendered, and no finder is asked.
"""

import gettext
import html as html_module
import json
import random
import re
import sys
from pathlib import Path

import django
import jinja2
from django.conf import settings
from django.template import Context, Engine, Library
from django.urls import path
from django.utils import translation

PACKAGES = Path(sys.argv[1])
OUT = Path(__file__).parents[2] / "test/corpus/rendered"
HOST = "app.example.test"
NAMES = ["ada", "grace.h", "linus42", "mario", "yuki", "olga1987", "kemal", "chen"]
ORDER = "0123456789"


def view(request):
    raise NotImplementedError


class Urls:
    """The routes that the templates name."""

    urlpatterns = [
        path("accounts/reset/<uidb64>/<token>/", view, name="password_reset_confirm"),
        path("admin/password_reset/confirm/<uidb64>/<token>/", view, name="wagtailadmin_password_reset_confirm"),
        path("accounts/activate/<activation_key>/", view, name="registration_activate"),
        path("accounts/login/", view, name="auth_login"),
    ]


settings.configure(ROOT_URLCONF=Urls, USE_I18N=True, USE_TZ=False, INSTALLED_APPS=[])
django.setup()

tags = Library()


@tags.simple_tag
def user_display(user):
    return user["username"]


@tags.filter
def currency(value, _code=None):
    return f"£{value}"


@tags.simple_tag
def absolute_url(domain, path_):
    return f"https://{domain}{path_}"


@tags.simple_tag
def base_url_setting():
    return None


LIBRARY = sys.modules[__name__]
register = tags
sys.modules["corpus_tags"] = LIBRARY
LIBRARIES = {name: "corpus_tags" for name in "account currency_filters url_tags wagtailadmin_tags".split()}
LIBRARIES["i18n"] = "django.templatetags.i18n"


class Project:
    """One project: its templates, its translations, and the mails that were rendered of them."""

    def __init__(self, name, templates, locales):
        self.name = name
        self.random = random.Random(f"mailcap {name}")
        self.engine = Engine(dirs=[str(PACKAGES / templates)], libraries=LIBRARIES)
        self.locales = PACKAGES / locales
        self.mails = []

    def languages(self):
        return sorted(p.name for p in self.locales.iterdir() if list(p.glob("LC_MESSAGES/*.mo")))

    def catalog(self, language):
        return gettext.GNUTranslations(next((self.locales / language / "LC_MESSAGES").glob("*.mo")).open("rb"))

    def says(self, language, *sentences):
        """Tells whether the language has all of these sentences."""
        if language in ("en", "en_US"):
            return True
        if language not in self.languages():
            return False
        catalog = self.catalog(language)._catalog
        return all(catalog.get(sentence) for sentence in sentences)

    def render(self, language, template, context):
        # Only the project's own catalog is read.
        own = gettext.NullTranslations() if language == "en" else self.catalog(language)
        own.language = own.to_language = lambda: tag(language).lower()
        translation.trans_real._active.value = own
        return self.engine.get_template(template).render(Context(context))

    def text(self, language, template, context):
        return re.sub(r"\n{3,}", "\n\n", html_module.unescape(self.render(language, template, context)).strip()) + "\n"

    def add(self, language, subject, text=None, html=None, code=None, links=()):
        subject = re.sub(r"\s+", " ", subject).strip()
        mail = {"id": f"{self.name}-{len(self.mails) + 1}", "language": tag(language), "subject": subject}
        if text is not None:
            mail["text"] = text
        if html is not None:
            mail["html"] = re.sub(r"\n\s*\n+", "\n", html.strip())
        for value in filter(None, [code and code["written"], *(link["url"] for link in links)]):
            body = html_module.unescape((html or "") + (text or "") + subject)
            assert value in body, (self.name, language, value, body)
        self.mails.append({**mail, "code": code and code["code"], "links": list(links)})

    def name_of_user(self):
        return self.random.choice(NAMES)

    def digits(self, count=6):
        code = "".join(self.random.choice(ORDER) for _ in range(count))
        return {"code": code, "written": code}

    def letters(self, *groups):
        """A code of letters and digits, in groups with a hyphen between them. It is entered as it is written."""
        alphabet = "BCDFGHJKLMNPQRSTVWXZ0123456789"
        while True:
            code = "-".join("".join(self.random.choice(alphabet) for _ in range(n)) for n in groups)
            if re.search("[0-9]", code) and re.search("[A-Z]", code):
                return {"code": code, "written": code}

    def token(self, length=32):
        return "".join(self.random.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(length))

    def save(self):
        lines = [json.dumps(mail, ensure_ascii=False, separators=(",", ":")) for mail in self.mails]
        (OUT / f"{self.name}.jsonl").write_text("\n".join(lines) + "\n")
        print(self.name, len(self.mails), len({mail["language"] for mail in self.mails}))


def tag(language):
    return {"zh_Hans": "zh-Hans", "zh_Hant": "zh-Hant", "zh_CN": "zh-Hans", "zh_TW": "zh-Hant", "no": "nb"}.get(
        language, language.replace("_", "-")
    )


def link(url, kind, main=True):
    return {"url": url, "kind": kind, "main": main}


def reset(project, host=HOST):
    uid, token = project.token(3).upper(), f"c{project.token(5)}-{project.token(32)}"
    return uid, token


def allauth():
    p = Project("django-allauth", "django_allauth/allauth/templates", "django_allauth/allauth/locale")
    site = {"name": "Example Shop", "domain": "shop.example.test"}
    for language in p.languages():
        user = p.name_of_user()
        base = {"current_site": site, "user": {"username": user}, "username": user, "email": f"{user}@example.test"}

        def mail(name, sentence, kind=None, url=None, code=None):
            if not p.says(language, sentence):
                return
            context = {**base, "code": code and code["written"], "activate_url": url, "password_reset_url": url}
            subject = p.text(language, f"account/email/{name}_subject.txt", context)
            text = p.text(language, f"account/email/{name}_message.txt", context)
            p.add(language, f"[{site['name']}] {subject}", text, code=code, links=[link(url, kind)] if url else [])

        listed = "code is listed below. Please enter it in your open browser window."
        mail("login_code", f"Your sign-in {listed}", code=p.letters(3, 3))
        mail("password_reset_code", f"Your password reset {listed}", code=p.letters(4, 4))
        mail("email_confirmation", f"Your email verification {listed}", code=p.digits() if len(p.mails) % 2 else p.letters(6))
        mail("email_confirmation", "To confirm this is correct, go to %(activate_url)s", "verify", f"https://{site['domain']}/accounts/confirm-email/{p.token(20)}:{p.token(6)}:{p.token(27)}/")
        mail("password_reset_key", next(iter(k for k in p.catalog("de")._catalog if isinstance(k, str) and k.startswith("You're receiving this email because you or someone else has requested a password reset"))), "reset", f"https://{site['domain']}/accounts/password/reset/key/{p.token(2)}-c{p.token(5)}-{p.token(32)}/")
        if p.says(language, "You are receiving this mail because the following change was made to your account:"):
            context = {**base, "ip": "203.0.113.77", "user_agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101", "timestamp": "2026-11-20 14:05:31"}
            p.add(language, p.text(language, "account/email/password_changed_subject.txt", context), p.text(language, "account/email/password_changed_message.txt", context))
    p.save()


def two_factor():
    p = Project("django-two-factor-auth", "django_two_factor_auth/two_factor/templates", "django_two_factor_auth/two_factor/locale")
    for language in p.languages():
        # The Finnish translation has a digit of its own before the number.
        if language != "fi" and p.says(language, "Your OTP token is %(token)s"):
            code = p.digits()
            p.add(language, "Example", p.text(language, "two_factor/twilio/sms_message.html", {"token": code["written"]}), code=code)
    p.save()


def django_reset():
    p = Project("django", "django/django/contrib/admin/templates", "django/django/contrib/admin/locale")
    subjects = Project("django", "django/django/contrib/auth/templates", "django/django/contrib/auth/locale")
    for language in p.languages():
        if language.startswith(("en_", "es_")) or not p.says(language, "Please go to the following page and choose a new password:"):
            continue
        uid, token = reset(p)
        user = p.name_of_user()
        context = {"site_name": "example.test", "protocol": "https", "domain": HOST, "uid": uid, "token": token, "user": {"get_username": user}}
        text = p.text(language, "registration/password_reset_email.html", context)
        named = "Password reset on %(site_name)s"
        subject = (subjects.catalog(language).gettext(named) if subjects.says(language, named) else named) % context
        p.add(language, subject, text, links=[link(f"https://{HOST}/accounts/reset/{uid}/{token}/", "reset")])
    p.save()


def registration():
    p = Project("django-registration-redux", "django_registration_redux/registration/templates", "django_registration_redux/registration/locale")
    for language in p.languages():
        sentence = next(k for k in p.catalog("de")._catalog if isinstance(k, str) and "To activate this account" in k)
        if not p.says(language, sentence):
            continue
        key = p.token(40)
        context = {"site": {"name": "example.test", "domain": HOST}, "activation_key": key, "expiration_days": 7}
        subject = p.text(language, "registration/activation_email_subject.txt", context)
        text = p.text(language, "registration/activation_email.txt", context)
        p.add(language, subject, text, links=[link(f"http://{HOST}/accounts/activate/{key}/", "verify")])
    p.save()


def djoser():
    p = Project("djoser", "djoser/djoser/templates", "djoser/djoser/locale")
    for language in p.languages():
        for name, route, kind, sentence in [
            ("activation", "activate", "verify", "Please go to the following page to activate account:"),
            ("password_reset", "password/reset/confirm", "reset", "Please go to the following page and choose a new password:"),
        ]:
            if not p.says(language, sentence):
                continue
            uid, token = reset(p)
            context = {"site_name": "Example", "protocol": "https", "domain": HOST, "url": f"{route}/{uid}/{token}", "user": {"username": p.name_of_user()}}
            source = p.render(language, f"email/{name}.html", context)
            # The template has one block for each part, and its library renders them apart.
            subject, _, rest = source.strip().partition("\n\n")
            text, _, html = rest.partition("<p>")
            p.add(language, subject, html_module.unescape(re.sub(r"\n{3,}", "\n\n", text.strip())) + "\n", "<p>" + html, links=[link(f"https://{HOST}/{route}/{uid}/{token}", kind)])
    p.save()


def wagtail():
    p = Project("wagtail", "wagtail/wagtail/admin/templates", "wagtail/wagtail/admin/locale")
    for language in p.languages():
        if language in ("en_IN", "es_419", "es_VE") or not p.says(language, "Please follow the link below to reset your password:"):
            continue
        uid, token = reset(p)
        context = {"protocol": "https", "domain": HOST, "uid": uid, "token": token, "user": {"get_username": p.name_of_user(), "USERNAME_FIELD": "username"}}
        text = p.text(language, "wagtailadmin/account/password_reset/email.txt", context)
        subject = p.text(language, "wagtailadmin/account/password_reset/email_subject.txt", context)
        p.add(language, subject, text, links=[link(f"https://{HOST}/admin/password_reset/confirm/{uid}/{token}/", "reset")])
    p.save()


def oscar():
    p = Project("django-oscar", "django_oscar/oscar/templates", "django_oscar/oscar/locale")
    streets = ["1204 High Street", "Hauptstr. 4711", "12 rue Ada", "Calle 8 1532"]
    for language in p.languages():
        if "_" in language or "." in language or "@" in language or not p.says(language, "Your order contains:", "Order Total:"):
            continue
        number = f"{p.random.randint(100000, 299999)}"
        price = f"{p.random.randint(1, 2999)}.{p.random.randint(0, 99):02d}"
        address = ["Ada Lovelace", p.random.choice(streets), f"{p.random.randint(10000, 99999)} Exampletown"]
        line = {"title": f"Lamp {p.random.randint(1000, 9999)}", "quantity": 2, "line_price_incl_tax": price}
        status = f"/accounts/order-status/{number}/{p.token(24)}/"
        context = {"order": {"number": number, "currency": "GBP", "lines": {"all": [line]}, "basket_total_incl_tax": price, "shipping_incl_tax": "4.99", "total_incl_tax": price, "shipping_address": {"active_address_fields": address}}, "site": {"name": "Example", "domain": HOST}, "status_url": True, "status_path": status}
        subject = p.text(language, "oscar/communication/emails/commtype_order_placed_subject.txt", context)
        text = p.text(language, "oscar/communication/emails/commtype_order_placed_body.txt", context)
        html = p.render(language, "oscar/communication/emails/commtype_order_placed_body.html", context)
        html = re.sub(r"<style>.*?</style>", "", html, flags=re.S)
        has_link = status in text
        p.add(language, subject, text, html if p.random.random() < 0.5 else None, links=[link(f"https://{HOST}{status}", "other")] if has_link else [])
    p.save()


def flask_security():
    p = Project("flask-security", "flask_security_too/flask_security/templates", "flask_security_too/flask_security/translations")
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(PACKAGES / "flask_security_too/flask_security/templates"), autoescape=jinja2.select_autoescape())
    subjects = {"two_factor_instructions": "Two-Factor Login", "us_instructions": "Verification Code", "reset_instructions": "Password reset instructions", "confirmation_instructions": "Please confirm your email", "login_instructions": "Login instructions"}
    for language in p.languages() + ["en"]:
        catalog = p.catalog(language) if language != "en" else gettext.NullTranslations()

        def say(sentence, **values):
            return catalog.gettext(sentence) % values

        def mail(name, sentence, kind=None, url=None, code=None, **values):
            if language != "en" and not p.says(language, sentence):
                return
            user = p.name_of_user()
            context = {"_fsdomain": say, "username": user, "user": {"email": f"{user}@example.test"}, "security": {"confirmable": True, "recoverable": True}, "within": "30 minutes", "token": code and code["written"], "login_token": code and code["written"], **values}
            parts = [environment.get_template(f"security/email/{name}.{kind_}").render(context).strip() for kind_ in ("txt", "html")]
            p.add(language, say(subjects[name]), html_module.unescape(parts[0]) + "\n", parts[1], code, [link(url, kind)] if url else [])

        mail("two_factor_instructions", "You can log into your account using the following code: %(token)s", code=p.digits())
        mail("us_instructions", "You can sign in to your account using the following code: %(code)s", code=p.digits())
        url = f"https://{HOST}/login/{p.token(40)}"
        mail("login_instructions", "You can log into your account through the link below:", "magic", url, login_link=url)
        url = f"https://{HOST}/confirm/{p.token(40)}"
        mail("confirmation_instructions", "Use %(confirmation_link)s to confirm your email address.", "verify", url, confirmation_link=url)
        url = f"https://{HOST}/reset/{p.token(40)}"
        mail("reset_instructions", "Use %(reset_link)s to reset your password.", "reset", url, reset_link=url)
    p.save()


def indico():
    p = Project("indico", "indico/indico/modules/users/templates", "indico/indico/translations")
    sentence = "You recently added the e-mail address %(mail)s to your Indico account. Please click the following link to confirm this action."
    for language in p.languages():
        catalog = p.catalog(language)._catalog
        found = next((v for k, v in catalog.items() if isinstance(k, str) and re.sub(r"\s+", " ", k).strip() == sentence), None)
        if not found:
            continue
        url = f"https://{HOST}/user/emails/verify/{p.token(36)}"
        user = p.name_of_user()
        dear = catalog.get("Dear %(name)s,", "Dear %(name)s,")
        p.add(language, catalog.get("Verify your email") or "Verify your email", f"{dear % {'name': user}}\n\n{re.sub(chr(10), ' ', found) % {'mail': user + '@example.test'}}\n\n{url}\n", links=[link(url, "verify")])
    p.save()


def bare():
    """Projects whose default mail has English words only, or none."""
    p = Project("drf-and-otp", "drfpasswordless/drfpasswordless/templates", "django_oscar/oscar/locale")
    for template, subject in [("passwordless_default_token_email.html", "Your Login Token"), ("passwordless_default_verification_token_email.html", "Your Verification Token")]:
        code = p.digits()
        p.add("en", subject, None, p.render("en", template, {"callback_token": code["written"]}), code)
    for subject in ["OTP token", "Your verification code"]:
        code = p.digits()
        # django-otp and django-trench send nothing but the token.
        p.add("en", subject, f"{code['written']}\n", code=code)
    p.save()


if __name__ == "__main__":
    for project in [allauth, two_factor, django_reset, registration, djoser, wagtail, oscar, flask_security, indico, bare]:
        project()
