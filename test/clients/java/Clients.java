// Mail clients of Java: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
import jakarta.mail.Message;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSenderImpl;

public class Clients {
  static final String HOST = System.getenv("HOST");
  static final int PORT = Integer.parseInt(System.getenv("PORT"));
  static final int TLS_PORT = Integer.parseInt(System.getenv("TLS_PORT"));
  static final String FROM = "app@example.com";

  interface Client {
    void send(String name) throws Exception;
  }

  static String to(String name) {
    return name + "@inbox.mailcap.example.com";
  }

  static Client jakarta(boolean login, String... settings) {
    return name -> {
      Properties p = new Properties();
      p.put("mail.smtp.host", HOST);
      p.put("mail.smtp.port", "" + PORT);
      for (int i = 0; i < settings.length; i += 2) p.put("mail.smtp." + settings[i], settings[i + 1]);
      Session session = Session.getInstance(p);
      MimeMessage m = new MimeMessage(session);
      m.setFrom(new InternetAddress(FROM));
      m.setRecipient(Message.RecipientType.TO, new InternetAddress(to(name)));
      m.setSubject(name);
      m.setText("Hello.");
      if (login) Transport.send(m, "app", "secret");
      else Transport.send(m);
    };
  }

  static Client spring(boolean login, String... settings) {
    return name -> {
      JavaMailSenderImpl sender = new JavaMailSenderImpl();
      sender.setHost(HOST);
      sender.setPort(PORT);
      for (int i = 0; i < settings.length; i += 2) sender.getJavaMailProperties().put("mail.smtp." + settings[i], settings[i + 1]);
      if (login) {
        sender.setUsername("app");
        sender.setPassword("secret");
        sender.getJavaMailProperties().put("mail.smtp.auth", "true");
      }
      SimpleMailMessage m = new SimpleMailMessage();
      m.setFrom(FROM);
      m.setTo(to(name));
      m.setSubject(name);
      m.setText("Hello.");
      sender.send(m);
    };
  }

  static Client commons(boolean startTls) {
    return name -> {
      var email = new org.apache.commons.mail2.jakarta.SimpleEmail();
      email.setHostName(HOST);
      email.setSmtpPort(PORT);
      email.setStartTLSEnabled(startTls);
      email.setFrom(FROM);
      email.addTo(to(name));
      email.setSubject(name);
      email.setMsg("Hello.");
      email.send();
    };
  }

  static Client simpleJavaMail(org.simplejavamail.api.mailer.config.TransportStrategy strategy) {
    return name -> {
      var mail = org.simplejavamail.email.EmailBuilder.startingBlank().from(FROM).to(to(name)).withSubject(name).withPlainText("Hello.").buildEmail();
      org.simplejavamail.mailer.MailerBuilder.withSMTPServer(HOST, PORT).withTransportStrategy(strategy).buildMailer().sendMail(mail).join();
    };
  }

  static void vertx(String name) throws Exception {
    var vertx = io.vertx.core.Vertx.vertx();
    try {
      var config = new io.vertx.ext.mail.MailConfig().setHostname(HOST).setPort(PORT);
      var mail = new io.vertx.ext.mail.MailMessage().setFrom(FROM).setTo(to(name)).setSubject(name).setText("Hello.");
      io.vertx.ext.mail.MailClient.create(vertx, config).sendMail(mail).toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    } finally {
      vertx.close();
    }
  }

  static void commonsNet(String name) throws Exception {
    var client = new org.apache.commons.net.smtp.SMTPClient();
    client.connect(HOST, PORT);
    client.login("localhost");
    if (!client.sendSimpleMessage(FROM, to(name), "From: " + FROM + "\r\nTo: " + to(name) + "\r\nSubject: " + name + "\r\n\r\nHello."))
      throw new Exception(client.getReplyString());
    client.logout();
    client.disconnect();
  }

  public static void main(String[] names) {
    java.util.logging.LogManager.getLogManager().reset();
    var smtp = org.simplejavamail.api.mailer.config.TransportStrategy.SMTP;
    Map<String, Client> configurations = Map.ofEntries(
        Map.entry("jakarta", jakarta(false)),
        Map.entry("jakarta-auth", jakarta(true, "auth", "true")),
        Map.entry("jakarta-starttls-enable", jakarta(true, "auth", "true", "starttls.enable", "true")),
        Map.entry("jakarta-starttls-required", jakarta(false, "starttls.enable", "true", "starttls.required", "true")),
        Map.entry("jakarta-ssl", jakarta(false, "ssl.enable", "true", "port", "" + TLS_PORT)),
        Map.entry("spring", spring(false)),
        Map.entry("spring-auth", spring(true)),
        Map.entry("spring-starttls-enable", spring(true, "starttls.enable", "true")),
        Map.entry("commons-email", commons(false)),
        Map.entry("commons-email-starttls", commons(true)),
        Map.entry("simple-java-mail", simpleJavaMail(smtp)),
        Map.entry("vertx-mail", Clients::vertx),
        Map.entry("commons-net", Clients::commonsNet));
    for (String name : names) {
      String told = "ok";
      try {
        configurations.get(name).send(name);
      } catch (Throwable e) {
        told = ("" + e).lines().findFirst().orElse("failed");
      }
      System.out.println(name + "\t" + told);
    }
    System.exit(0);
  }
}
