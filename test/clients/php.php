<?php
// Mail clients of PHP: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
error_reporting(E_ALL & ~E_DEPRECATED & ~E_WARNING);
$host = getenv('HOST');
$port = (int) getenv('PORT');
$tlsPort = (int) getenv('TLS_PORT');
$from = 'app@example.com';

$phpmailer = function (array $settings) use ($host, $port, $from) {
    return function (string $name, string $to) use ($host, $port, $from, $settings) {
        require_once 'libphp-phpmailer/autoload.php';
        $mail = new PHPMailer\PHPMailer\PHPMailer(true);
        $mail->isSMTP();
        $mail->Host = $host;
        $mail->Port = $port;
        foreach ($settings as $key => $value) $mail->$key = $value;
        $mail->setFrom($from);
        $mail->addAddress($to);
        $mail->Subject = $name;
        $mail->Body = 'Hello.';
        $mail->send();
    };
};
$symfony = function (string $dsn) use ($from) {
    return function (string $name, string $to) use ($dsn, $from) {
        require_once 'Symfony/Component/Mailer/autoload.php';
        $mailer = new Symfony\Component\Mailer\Mailer(Symfony\Component\Mailer\Transport::fromDsn($dsn));
        $mailer->send((new Symfony\Component\Mime\Email())->from($from)->to($to)->subject($name)->text('Hello.'));
    };
};
$swift = function (?string $encryption, ?string $user) use ($host, $port, $from) {
    return function (string $name, string $to) use ($host, $port, $from, $encryption, $user) {
        require_once 'Swift/autoload.php';
        $transport = new Swift_SmtpTransport($host, $port, $encryption);
        if ($user !== null) $transport->setUsername($user)->setPassword('secret');
        (new Swift_Mailer($transport))->send((new Swift_Message($name))->setFrom($from)->setTo($to)->setBody('Hello.'));
    };
};
$pear = function (array $settings) use ($host, $port, $from) {
    return function (string $name, string $to) use ($host, $port, $from, $settings) {
        require_once 'Mail.php';
        $mail = Mail::factory('smtp', ['host' => $host, 'port' => $port] + $settings);
        $sent = $mail->send($to, ['From' => $from, 'To' => $to, 'Subject' => $name], 'Hello.');
        if ($sent !== true) throw new Exception($sent->getMessage());
    };
};
$login = ['SMTPAuth' => true, 'Username' => 'app', 'Password' => 'secret'];
$configurations = [
    'phpmailer' => $phpmailer([]),
    'phpmailer-auth' => $phpmailer($login),
    'phpmailer-starttls' => $phpmailer($login + ['SMTPSecure' => 'tls']),
    'phpmailer-smtps' => $phpmailer(['SMTPSecure' => 'ssl', 'Port' => $tlsPort]),
    'symfony' => $symfony("smtp://$host:$port"),
    'symfony-auth' => $symfony("smtp://app:secret@$host:$port"),
    'symfony-smtps' => $symfony("smtps://$host:$tlsPort"),
    'swiftmailer' => $swift(null, null),
    'swiftmailer-auth' => $swift(null, 'app'),
    'swiftmailer-tls' => $swift('tls', null),
    'pear-mail' => $pear([]),
    'pear-mail-auth' => $pear(['auth' => true, 'username' => 'app', 'password' => 'secret']),
];
foreach (array_slice($argv, 1) as $name) {
    try {
        $configurations[$name]($name, "$name@inbox.mailcap.example.com");
        $told = 'ok';
    } catch (Throwable $error) {
        $told = strtok(get_class($error) . ': ' . $error->getMessage(), "\n");
    }
    echo "$name\t$told\n";
}
