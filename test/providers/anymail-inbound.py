"""Reads requests from stdin, one JSON a line, and prints how django-anymail reads the mail in each."""
import base64
import json
import sys

from django.conf import settings

SECRET = 'user:pass'
settings.configure(
    USE_TZ=True,
    ALLOWED_HOSTS=['*'],
    ROOT_URLCONF=__name__,
    SECRET_KEY='any',
    ANYMAIL={
        'WEBHOOK_SECRET': SECRET,
        'MAILGUN_API_KEY': 'any',
        'MAILGUN_WEBHOOK_SIGNING_KEY': sys.argv[1],
        'MAILERSEND_INBOUND_SECRET': sys.argv[2],
        'MAILERSEND_SIGNING_SECRET': 'any',
        'AMAZON_SES_AUTO_CONFIRM_SNS_SUBSCRIPTIONS': False,
    },
)
import django

django.setup()
from anymail.signals import inbound, tracking
from anymail.urls import urlpatterns as anymail_urls
from django.test import Client
from django.urls import include, path

urlpatterns = [path('anymail/', include((anymail_urls, 'anymail')))]
seen = []


def on_inbound(sender, event, esp_name, **kwargs):
    mail = event.message
    seen.append({
        'esp': esp_name,
        'from': str(mail.from_email),
        'to': [one.addr_spec for one in mail.to],
        'subject': mail.subject,
        'text': (mail.text or '').strip(),
        'html': (mail.html or '').strip(),
        'envelope_sender': mail.envelope_sender,
        'envelope_recipient': mail.envelope_recipient,
        'message_id': mail['Message-ID'],
        'stripped': mail.stripped_text,
        'attachments': [[one.get_filename(), one.get_content_type(), base64.b64encode(one.get_content_bytes()).decode()] for one in mail.attachments],
        'inlines': {cid: base64.b64encode(one.get_content_bytes()).decode() for cid, one in mail.content_id_map.items()},
    })


def on_tracking(sender, event, esp_name, **kwargs):
    seen.append({'esp': esp_name, 'event': event.event_type, 'recipient': event.recipient, 'click': event.click_url,
                 'reason': event.reject_reason, 'message_id': event.message_id, 'tags': event.tags})


inbound.connect(on_inbound)
tracking.connect(on_tracking)
client = Client()
for line in sys.stdin:
    given = json.loads(line)
    headers = {'HTTP_' + name.upper().replace('-', '_'): value for name, value in given['headers'].items()
               if name not in ('content-type', 'content-length', 'host', 'connection')}
    answer = client.post(given['path'], base64.b64decode(given['body']), content_type=given['headers'].get('content-type', ''), **headers)
    assert answer.status_code == 200, (given['path'], answer.status_code, answer.content[:500])
print(json.dumps(seen))
