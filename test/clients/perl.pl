# Mail clients of Perl: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
use strict;
use warnings;

my ($host, $port, $from) = (@ENV{qw(HOST PORT)}, 'app@example.com');

sub text {
    my ($name, $to) = @_;
    return "From: $from\r\nTo: $to\r\nSubject: $name\r\n\r\nHello.\r\n";
}

sub net_smtp {
    my ($name, $to, $prepare) = @_;
    require Net::SMTP;
    my $smtp = Net::SMTP->new($host, Port => $port) or die 'no connection';
    $prepare->($smtp) or die $smtp->message if $prepare;
    $smtp->mail($from) && $smtp->to($to) && $smtp->data(text($name, $to)) or die $smtp->message;
    $smtp->quit;
}

sub email_sender {
    my ($name, $to, @options) = @_;
    require Email::Sender::Simple;
    require Email::Sender::Transport::SMTP;
    require Email::Simple;
    my $transport = Email::Sender::Transport::SMTP->new({ host => $host, port => $port, @options });
    Email::Sender::Simple->send(Email::Simple->new(text($name, $to)), { from => $from, to => $to, transport => $transport });
}

my %configurations = (
    'perl-net-smtp' => sub { net_smtp(@_) },
    'perl-net-smtp-auth' => sub { net_smtp(@_, sub { $_[0]->auth('app', 'secret') }) },
    'perl-net-smtp-starttls' => sub { net_smtp(@_, sub { $_[0]->starttls }) },
    'email-sender' => sub { email_sender(@_) },
    'email-sender-auth' => sub { email_sender(@_, sasl_username => 'app', sasl_password => 'secret') },
    'email-sender-starttls' => sub { email_sender(@_, ssl => 'starttls') },
    'mime-lite' => sub {
        my ($name, $to) = @_;
        require MIME::Lite;
        MIME::Lite->new(From => $from, To => $to, Subject => $name, Data => 'Hello.')->send('smtp', $host, Port => $port) or die 'not sent';
    },
    'mail-sendmail' => sub {
        my ($name, $to) = @_;
        require Mail::Sendmail;
        Mail::Sendmail::sendmail(smtp => "$host:$port", From => $from, To => $to, Subject => $name, Message => 'Hello.') or die $Mail::Sendmail::error;
    },
);
$| = 1;
for my $name (@ARGV) {
    my $told = eval { $configurations{$name}->($name, "$name\@inbox.mailcap.example.com"); 'ok' } // "$@";
    print "$name\t", (split /\n/, $told)[0], "\n";
}
