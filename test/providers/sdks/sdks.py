"""The SDKs of providers from PyPI. Prints the name of each, and what the SDK reads of a refusal."""

import base64
import sys

import requests

BASE, DOMAIN, PHONE = sys.argv[1:4]
FROM, TEXT, HTML, FILE = 'a@acme.example.com', 'Your code is 482913.', '<p>Your code is 482913.</p>', b'hello'
FILE64 = base64.b64encode(FILE).decode()
FIXED = {'https://send.api.mailtrap.io': 'mailtrap', 'https://rest.nexmo.com': 'vonage'}
request = requests.Session.request


def to_mailcap(self, method, url, *args, **kwargs):
    """Two SDKs write https before the host."""
    for host, name in FIXED.items():
        url = url.replace(host, f'{BASE}/{name}')
    return request(self, method, url, *args, **kwargs)


requests.Session.request = to_mailcap


def refused(call, read=str):
    try:
        call()
    except Exception as error:
        return read(error).replace('\n', ' ')
    return 'taken'


def with_mailersend():
    from mailersend import EmailBuilder, MailerSendClient

    client = MailerSendClient(api_key='any', base_url=BASE + '/mailersend/v1')

    def mail(sender):
        return (
            EmailBuilder()
            .from_email(sender, 'Acme')
            .to(f'mailersend@{DOMAIN}', 'Ada')
            .reply_to('help@acme.example.com')
            .subject('mailersend')
            .text(TEXT)
            .html(HTML)
            .attach_content(FILE, 'a.txt')
            .header('X-Custom', 'yes')
            .build()
        )

    assert client.emails.send(mail(FROM)).headers['X-Message-Id']
    many = mail(FROM)
    many.subject = 'mailersend bulk'
    assert client.emails.send_bulk([many]).data['bulk_email_id']
    wrong = mail(FROM)
    wrong.subject = 'x' * 999
    return refused(lambda: client.emails.send(wrong))


def with_brevo():
    from brevo import Brevo

    client = Brevo(api_key='any', base_url=BASE + '/brevo/v3')
    given = {
        'to': [{'email': f'brevo@{DOMAIN}', 'name': 'Ada'}],
        'reply_to': {'email': 'help@acme.example.com'},
        'subject': 'brevo',
        'text_content': TEXT,
        'html_content': HTML,
        'headers': {'X-Custom': 'yes'},
        'attachment': [{'name': 'a.txt', 'content': FILE64}],
    }
    sent = client.transactional_emails.send_transac_email(sender={'email': FROM, 'name': 'Acme'}, **given)
    assert sent.message_id
    nobody = {'email': 'nobody'}
    send = client.transactional_emails.send_transac_email
    return refused(lambda: send(sender=nobody, **given), lambda error: f'{type(error).__name__} {error.status_code}')


def with_sib():
    import sib_api_v3_sdk as sib

    settings = sib.Configuration()
    settings.host = BASE + '/brevo/v3'
    settings.api_key['api-key'] = 'any'
    api = sib.TransactionalEmailsApi(sib.ApiClient(settings))

    def mail(sender):
        return sib.SendSmtpEmail(
            sender={'email': sender},
            to=[{'email': f'sib@{DOMAIN}'}],
            reply_to={'email': 'help@acme.example.com'},
            subject='sib_api_v3_sdk',
            text_content=TEXT,
            html_content=HTML,
            headers={'X-Custom': 'yes'},
            attachment=[{'name': 'a.txt', 'content': FILE64}],
        )

    assert api.send_transac_email(mail(FROM)).message_id
    assert sib.AccountApi(sib.ApiClient(settings)).get_account().email
    return refused(lambda: api.send_transac_email(mail('nobody')), lambda error: f'{error.status} {error.body}')


def with_mailtrap():
    import mailtrap

    client = mailtrap.MailtrapClient(token='any')

    def mail(sender):
        return mailtrap.Mail(
            sender=mailtrap.Address(email=sender, name='Acme'),
            to=[mailtrap.Address(email=f'mailtrap@{DOMAIN}')],
            reply_to=mailtrap.Address(email='help@acme.example.com'),
            subject='mailtrap',
            text=TEXT,
            html=HTML,
            headers={'X-Custom': 'yes'},
            attachments=[mailtrap.Attachment(content=FILE64.encode(), filename='a.txt', mimetype='text/plain')],
        )

    assert client.send(mail(FROM))['message_ids']
    return refused(lambda: client.send(mail('nobody')))


def with_twilio():
    from twilio.rest import Client

    client = Client('AC' + '0' * 32, 'any')
    client.api.base_url = client.verify.base_url = BASE + '/twilio'
    sent = client.messages.create(to=PHONE, from_='+15005550006', body='twilio: ' + TEXT)
    assert client.messages(sent.sid).fetch().body == sent.body
    assert [one.sid for one in client.messages.list(to=PHONE, limit=5)] == [sent.sid]
    service = client.verify.v2.services.create(friendly_name='Acme')
    checks = client.verify.v2.services(service.sid)
    checks.verifications.create(to=PHONE, channel='sms', custom_code='482913')
    assert checks.verification_checks.create(to=PHONE, code='482913').status == 'approved'
    return refused(lambda: client.messages.create(to='12', from_='+15005550006', body='x'), lambda error: str(error.code))


def with_vonage():
    from vonage import Auth, Vonage
    from vonage_sms import SmsMessage

    client = Vonage(Auth(api_key='any', api_secret='any'))
    sent = client.sms.send(SmsMessage(to=PHONE[1:], from_='Acme', text='vonage: ' + TEXT))
    assert sent.messages[0].message_id and sent.messages[0].status == '0', sent
    return refused(lambda: client.sms.send(SmsMessage(to='12', from_='Acme', text='x')))


def with_sns():
    import boto3

    keys = {'aws_access_key_id': 'any', 'aws_secret_access_key': 'any', 'region_name': 'us-east-1'}
    client = boto3.client('sns', **keys)
    sender = {'AWS.SNS.SMS.SenderID': {'DataType': 'String', 'StringValue': 'Acme'}}
    assert client.publish(PhoneNumber=PHONE, Message='sns: ' + TEXT, MessageAttributes=sender)['MessageId']
    client.set_sms_attributes(attributes={'DefaultSMSType': 'Promotional', 'DefaultSenderID': 'Shop'})
    found = client.get_sms_attributes()['attributes']
    assert found == {'DefaultSMSType': 'Promotional', 'DefaultSenderID': 'Shop'}, found
    assert client.get_sms_attributes(attributes=['DefaultSMSType'])['attributes'] == {'DefaultSMSType': 'Promotional'}
    return refused(
        lambda: client.publish(PhoneNumber='12', Message='x'), lambda error: error.response['Error']['Code']
    )


for name, run in list(globals().items()):
    if name.startswith('with_'):
        try:
            print(f'{name[5:]}\t{run()}')
        except Exception as error:
            print(f'{name[5:]}\tFAILED {type(error).__name__} {error}'.replace('\n', ' '))
