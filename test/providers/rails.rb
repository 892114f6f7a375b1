# A Rails app with Action Mailbox in one file: its one mailbox takes all mail, and writes what it read as lines of JSON.
# The first line has the port.
require 'logger'
require 'rails'
require 'active_record/railtie'
require 'active_storage/engine'
require 'action_controller/railtie'
require 'active_job/railtie'
require 'action_mailbox/engine'
require 'tmpdir'
require 'json'
require 'webrick'
require 'rack/handler/webrick'

ROOT = Dir.mktmpdir
at_exit { FileUtils.remove_entry(ROOT) }
ENV['DATABASE_URL'] = "sqlite3:#{ROOT}/app.sqlite3"
$stdout.sync = true

class App < Rails::Application
  config.root = ROOT
  config.load_defaults 6.1
  config.eager_load = false
  config.secret_key_base = 'x' * 64
  config.logger = Logger.new($stderr)
  config.log_level = :warn
  config.hosts.clear
  config.active_job.queue_adapter = :inline
  config.action_mailbox.incinerate = false
  config.action_mailbox.ingress = ENV.fetch('INGRESS').to_sym
  config.active_storage.service = :disk
  config.active_storage.service_configurations = { disk: { service: 'Disk', root: "#{ROOT}/storage" } }
end

App.initialize!
ActiveRecord::Migration.verbose = false
%w[activestorage actionmailbox].each do |name|
  Dir[File.join(Gem::Specification.find_by_name(name).gem_dir, 'db/migrate/*.rb')].sort.each do |file|
    require file
    File.basename(file, '.rb').sub(/^\d+_/, '').camelize.constantize.migrate(:up)
  end
end

class ApplicationMailbox < ActionMailbox::Base
  routing all: :told
end

class ToldMailbox < ApplicationMailbox
  def process
    text = mail.text_part || mail
    puts JSON.generate(
      from: mail.from, to: mail.to, subject: mail.subject, id: mail.message_id, text: text.decoded.encode('UTF-8'),
      original: Array(mail.header['X-Original-To']).map(&:value),
      files: mail.attachments.map { |one| [one.filename, one.decoded.bytesize] }
    )
  end
end

server = WEBrick::HTTPServer.new(Port: 0, BindAddress: '127.0.0.1', Logger: WEBrick::Log.new($stderr, 1), AccessLog: [])
server.mount '/', Rack::Handler::WEBrick, Rails.application
trap('TERM') { server.shutdown }
puts JSON.generate(port: server.listeners[0].addr[1])
server.start
