"""Sends a mail by each SDK from PyPI, and by each backend of django-anymail. Prints one name a line."""

import sys

BASE, DOMAIN = sys.argv[1:3]


def to(name):
    return f'{name}@{DOMAIN}'


def with_resend():
    import resend

    resend.api_key = 're_any'
    resend.api_url = BASE + '/resend'
    file = {'filename': 'a.txt', 'content': list(b'hello')}
    mail = {'from': 'a@acme.test', 'to': [to('resend')], 'subject': 'resend', 'html': '<p>482913</p>', 'attachments': [file]}
    resend.Emails.send(mail)


def with_sendgrid():
    from sendgrid import SendGridAPIClient
    from sendgrid.helpers.mail import Mail

    mail = Mail(from_email='a@acme.test', to_emails=to('sendgrid'), subject='sendgrid', plain_text_content='482913')
    SendGridAPIClient('SG.any', host=BASE + '/sendgrid').send(mail)


def with_postmarker():
    import postmarker.core

    # It joins paths that begin with a slash, which would leave the prefix out.
    postmarker.core.urljoin = lambda root, path: root + path
    client = postmarker.core.PostmarkClient(server_token='any', root_api_url=BASE + '/postmark')
    client.emails.send(From='a@acme.test', To=to('postmarker'), Subject='postmarker', TextBody='482913')


def with_boto3():
    import boto3

    keys = {'aws_access_key_id': 'any', 'aws_secret_access_key': 'any'}
    at = {'region_name': 'us-east-1', 'endpoint_url': BASE + '/ses'}
    text = {'Subject': {'Data': 'boto3'}, 'Body': {'Text': {'Data': '482913'}}}
    boto3.client('sesv2', **at, **keys).send_email(
        FromEmailAddress='a@acme.test', Destination={'ToAddresses': [to('sesv2')]}, Content={'Simple': text}
    )
    boto3.client('ses', **at, **keys).send_email(
        Source='a@acme.test', Destination={'ToAddresses': [to('ses')]}, Message=text
    )


ANYMAIL = {
    'RESEND_API_KEY': 'any',
    'RESEND_API_URL': BASE + '/resend/',
    'SENDGRID_API_KEY': 'any',
    'SENDGRID_API_URL': BASE + '/sendgrid/v3/',
    'POSTMARK_SERVER_TOKEN': 'any',
    'POSTMARK_API_URL': BASE + '/postmark/',
    'MAILGUN_API_KEY': 'any',
    'MAILGUN_API_URL': BASE + '/mailgun/v3/',
    'MAILGUN_SENDER_DOMAIN': 'acme.test',
    'BREVO_API_KEY': 'any',
    'BREVO_API_URL': BASE + '/brevo/v3/',
    'MAILERSEND_API_TOKEN': 'any',
    'MAILERSEND_API_URL': BASE + '/mailersend/v1/',
    'MAILTRAP_API_TOKEN': 'any',
    'MAILTRAP_API_URL': BASE + '/mailtrap/api/',
    'AMAZON_SES_CLIENT_PARAMS': {
        'region_name': 'us-east-1',
        'endpoint_url': BASE + '/ses',
        'aws_access_key_id': 'any',
        'aws_secret_access_key': 'any',
    },
}
BACKENDS = ['resend', 'sendgrid', 'postmark', 'mailgun', 'amazon_ses', 'brevo', 'mailersend', 'mailtrap']


def with_anymail():
    import django
    from django.conf import settings

    settings.configure(ANYMAIL=ANYMAIL, USE_TZ=True)
    django.setup()
    from anymail.message import AnymailMessage
    from django.core.mail import get_connection

    for name in BACKENDS:
        connection = get_connection(f'anymail.backends.{name}.EmailBackend')
        mail = AnymailMessage(
            f'anymail {name}',
            'Your code is 482913',
            'Acme <a@acme.test>',
            [f'Ada <{to(name)}>'],
            cc=[to(f'cc-{name}')],
            reply_to=['help@acme.test'],
            headers={'X-Custom': 'yes'},
            connection=connection,
        )
        mail.attach_alternative('<p>Your code is 482913</p>', 'text/html')
        mail.attach('a.txt', 'hello', 'text/plain')
        if name != 'mailersend':
            mail.metadata = {'order': '42'}
        mail.send()
        assert mail.anymail_status.status <= {'queued', 'sent'}, mail.anymail_status
        assert mail.anymail_status.message_id, name


for run in [with_resend, with_sendgrid, with_postmarker, with_boto3, with_anymail]:
    run()
    print(run.__name__)
