# Mail clients of Ruby: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
require 'net/smtp'

HOST, PORT, TLS_PORT = ENV['HOST'], ENV['PORT'].to_i, ENV['TLS_PORT'].to_i
FROM = 'app@example.com'

def address(name) = "#{name}@inbox.mailcap.example.com"

def text(name) = "From: #{FROM}\r\nTo: #{address(name)}\r\nSubject: #{name}\r\n\r\nHello.\r\n"

def net_smtp(name, *login, &prepare)
  smtp = Net::SMTP.new(HOST, PORT)
  prepare&.call(smtp)
  smtp.start('localhost', *login) { |s| s.send_message(text(name), FROM, address(name)) }
end

def mail(name, **settings)
  require 'mail'
  mail = Mail.new(from: FROM, to: address(name), subject: name, body: 'Hello.')
  mail.delivery_method(:smtp, { address: HOST, port: PORT, **settings })
  mail.deliver!
end

def action_mailer(name, **settings)
  require 'logger'
  require 'action_mailer'
  mailer = Class.new(ActionMailer::Base) do
    def self.name = 'AppMailer'
    self.delivery_method = :smtp
    define_method(:hello) { |to, subject| mail(from: FROM, to: to, subject: subject, body: 'Hello.') }
  end
  mailer.smtp_settings = { address: HOST, port: PORT, **settings }
  mailer.hello(address(name), name).deliver_now
end

LOGIN = { user_name: 'app', password: 'secret', authentication: :plain }.freeze
CONFIGURATIONS = {
  'net-smtp' => ->(n) { net_smtp(n) },
  'net-smtp-auth' => ->(n) { net_smtp(n, 'app', 'secret', :plain) },
  'net-smtp-starttls' => ->(n) { net_smtp(n) { |s| s.enable_starttls } },
  'net-smtp-tls' => ->(n) { Net::SMTP.new(HOST, TLS_PORT).tap(&:enable_tls).start('localhost') { |s| s.send_message(text(n), FROM, address(n)) } },
  'mail' => ->(n) { mail(n) },
  'mail-auth' => ->(n) { mail(n, **LOGIN) },
  'mail-starttls-auto-false' => ->(n) { mail(n, enable_starttls_auto: false) },
  'mail-starttls' => ->(n) { mail(n, enable_starttls: true) },
  'action-mailer' => ->(n) { action_mailer(n) },
  'action-mailer-auth' => ->(n) { action_mailer(n, **LOGIN, enable_starttls_auto: true) },
}.freeze

ARGV.each do |name|
  told = begin
    CONFIGURATIONS.fetch(name).call(name)
    'ok'
  rescue StandardError, LoadError => e
    "#{e.class}: #{e.message}".lines.first.chomp
  end
  puts "#{name}\t#{told}"
  $stdout.flush
end
