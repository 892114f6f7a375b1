<?php
// The bridges of Symfony's mailer and notifier, which Laravel's transports use too. Prints the name of each, and what it
// reads of a refusal.

require 'Symfony/Component/HttpClient/autoload.php';
foreach (['Mailer', 'Mailer/Bridge/Sendgrid', 'Mailer/Bridge/Postmark', 'Mailer/Bridge/Mailgun', 'Mailer/Bridge/Sendinblue', 'Mailer/Bridge/Amazon', 'Notifier', 'Notifier/Bridge/Twilio'] as $part)
    require "Symfony/Component/$part/autoload.php";

use AsyncAws\Core\Configuration;
use AsyncAws\Ses\SesClient;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Bridge;
use Symfony\Component\Mailer\Mailer;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;
use Symfony\Component\Notifier\Bridge\Twilio\TwilioTransport;
use Symfony\Component\Notifier\Message\SmsMessage;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;
use Symfony\Contracts\HttpClient\ResponseStreamInterface;

[, $base, $domain, $phone] = $argv;

/** Sends what the bridges send to the provider's host, which they write after https, to mailcap. */
class ToMailcap implements HttpClientInterface
{
    public function __construct(private HttpClientInterface $client, private string $base) {}

    public function request(string $method, string $url, array $options = []): ResponseInterface
    {
        return $this->client->request($method, preg_replace('#^https://[^/]+#', $this->base, $url), $options);
    }

    public function stream($responses, ?float $timeout = null): ResponseStreamInterface
    {
        return $this->client->stream($responses, $timeout);
    }

    public function withOptions(array $options): static
    {
        return new static($this->client->withOptions($options), $this->base);
    }
}

$client = HttpClient::create();
$to = fn (string $name) => new ToMailcap($client, "$base/$name");
$ses = new SesClient(Configuration::create(['endpoint' => "$base/ses", 'accessKeyId' => 'any', 'accessKeySecret' => 'any', 'region' => 'us-east-1']), null, $client);
$transports = [
    'sendgrid' => new Bridge\Sendgrid\Transport\SendgridApiTransport('any', $to('sendgrid')),
    'postmark' => new Bridge\Postmark\Transport\PostmarkApiTransport('any', $to('postmark')),
    'mailgun' => new Bridge\Mailgun\Transport\MailgunApiTransport('any', 'acme.test', null, $to('mailgun')),
    'mailgun mime' => new Bridge\Mailgun\Transport\MailgunHttpTransport('any', 'acme.test', null, $to('mailgun')),
    'brevo' => new Bridge\Sendinblue\Transport\SendinblueApiTransport('any', $to('brevo')),
    'ses' => new Bridge\Amazon\Transport\SesApiAsyncAwsTransport($ses),
    'ses raw' => new Bridge\Amazon\Transport\SesHttpAsyncAwsTransport($ses),
];

function refused(callable $call): string
{
    try {
        $call();
    } catch (Throwable $error) {
        return preg_replace('/\s+/', ' ', $error->getMessage());
    }
    return 'taken';
}

foreach ($transports as $name => $transport) {
    $mail = fn () => (new Email())
        ->from(new Address('a@acme.test', 'Acme'))
        ->replyTo('help@acme.test')
        ->subject($name)
        ->text('Your code is 482913.')
        ->html('<p>Your code is 482913.</p>')
        ->attach('hello', 'a.txt', 'text/plain');
    try {
        $good = $mail()->to(new Address(strtr($name, ' ', '-') . "@$domain", 'Ada'));
        $good->getHeaders()->addTextHeader('X-Custom', 'yes');
        if ($transport->send($good)->getMessageId() === '') throw new Exception('no id');
        echo $name, "\tsent\n";
    } catch (Throwable $error) {
        echo $name, "\tFAILED ", preg_replace('/\s+/', ' ', $error->getMessage()), "\n";
    }
}

$twilio = new TwilioTransport('AC' . str_repeat('0', 32), 'any', '+15005550006', $to('twilio'));
echo "twilio\t", refused(function () use ($twilio, $phone) {
    $twilio->send(new SmsMessage($phone, 'twilio: Your code is 482913.'));
    $twilio->send(new SmsMessage('+15005550001', 'x'));
}), "\n";
