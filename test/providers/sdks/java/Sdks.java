// The SDKs of providers for Java. Prints the name of each call that went well, and what the SDK reads of a refusal.
import com.mailersend.sdk.MailerSend;
import com.mailersend.sdk.util.MailerSendHttpClientFactory;
import com.mailgun.api.v3.MailgunMessagesApi;
import com.mailgun.client.MailgunClient;
import com.postmarkapp.postmark.Postmark;
import com.resend.Resend;
import com.resend.core.service.BaseService;
import com.resend.services.emails.model.Attachment;
import com.resend.services.emails.model.CreateEmailOptions;
import com.resend.services.emails.model.Tag;
import com.sendgrid.Method;
import com.sendgrid.SendGrid;
import com.sendgrid.helpers.mail.Mail;
import com.sendgrid.helpers.mail.objects.Attachments;
import com.sendgrid.helpers.mail.objects.Content;
import com.twilio.http.NetworkHttpClient;
import com.twilio.http.TwilioRestClient;
import com.twilio.rest.api.v2010.account.Message;
import com.twilio.rest.verify.v2.Service;
import com.twilio.rest.verify.v2.service.Verification;
import com.twilio.rest.verify.v2.service.VerificationCheck;
import com.twilio.type.PhoneNumber;
import com.vonage.client.HttpConfig;
import com.vonage.client.VonageClient;
import com.vonage.client.sms.messages.TextMessage;
import feign.FeignException;
import feign.form.FormData;
import io.mailtrap.config.MailtrapConfig;
import io.mailtrap.factory.MailtrapClientFactory;
import io.mailtrap.http.impl.DefaultMailtrapHttpClient;
import io.mailtrap.model.request.emails.Address;
import io.mailtrap.model.request.emails.EmailAttachment;
import io.mailtrap.model.request.emails.MailtrapMail;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import sendinblue.ApiClient;
import sendinblue.ApiException;
import sibApi.TransactionalEmailsApi;
import sibModel.SendSmtpEmail;
import sibModel.SendSmtpEmailAttachment;
import sibModel.SendSmtpEmailReplyTo;
import sibModel.SendSmtpEmailSender;
import sibModel.SendSmtpEmailTo;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ses.SesClient;
import software.amazon.awssdk.services.ses.model.TemplateDoesNotExistException;
import software.amazon.awssdk.services.sesv2.SesV2Client;
import software.amazon.awssdk.services.sesv2.model.MessageHeader;
import software.amazon.awssdk.services.sesv2.model.NotFoundException;
import software.amazon.awssdk.services.sns.SnsClient;
import software.amazon.awssdk.services.sns.model.InvalidParameterException;

public class Sdks {
  static final String FROM = "Acme <a@acme.test>", TEXT = "Your code is 482913.", HTML = "<p>Your code is 482913.</p>";
  static final byte[] FILE = "hello".getBytes(StandardCharsets.UTF_8);
  static final String FILE64 = Base64.getEncoder().encodeToString(FILE);
  static String base, domain, phone;

  interface Call {
    String run() throws Exception;
  }

  static String address(String name) {
    return name + "@" + domain;
  }

  static String to(String name) {
    return "Ada <" + address(name) + ">";
  }

  /** Returns the base URL of a provider as a host with a path. */
  static String hostOf(String name) {
    return base.replace("http://", "") + "/" + name;
  }

  static <E extends Exception> E refused(Class<E> kind, Call call) throws Exception {
    try {
      throw new IllegalStateException("taken: " + call.run());
    } catch (Exception error) {
      if (!kind.isInstance(error)) throw error;
      return kind.cast(error);
    }
  }

  static void demand(boolean isTrue, Object found) {
    if (!isTrue) throw new IllegalStateException(String.valueOf(found));
  }

  static Object put(Class<?> type, String field, Object holder, Object value) throws Exception {
    var found = type.getDeclaredField(field);
    found.setAccessible(true);
    Object before = found.get(holder);
    if (value != null) found.set(holder, value);
    return before;
  }

  // The address stands in the SDK's code. An interceptor of its OkHttp sends the requests elsewhere.
  static String byResend() throws Exception {
    var emails = new Resend("re_any").emails();
    Object http = put(BaseService.class, "httpClient", emails, null);
    var ok = new okhttp3.OkHttpClient.Builder().addInterceptor(chain -> {
      String url = chain.request().url().toString().replaceFirst("^https://[^/]+", base + "/resend");
      return chain.proceed(chain.request().newBuilder().url(url).build());
    });
    put(http.getClass(), "httpClient", http, ok.build());
    var mail = CreateEmailOptions.builder().from(FROM).to(to("resend-java")).subject("resend-java").text(TEXT).html(HTML)
        .replyTo("help@acme.test").addHeader("X-Custom", "yes")
        .addTag(Tag.builder().name("kind").value("code").build())
        .addAttachment(Attachment.builder().fileName("a.txt").content(FILE64).build());
    var sent = emails.send(mail.build());
    demand(emails.get(sent.getId()).getSubject().equals("resend-java"), sent);
    return refused(com.resend.core.exception.ResendException.class, () -> emails.send(mail.from("nobody").build()).getId()).getErrorName();
  }

  static String bySendGrid() throws Exception {
    var client = new SendGrid("SG.any", true);
    client.setHost(hostOf("sendgrid"));
    var mail = new Mail(email("Acme", "a@acme.test"), "sendgrid-java", email("Ada", address("sendgrid-java")), new Content("text/plain", TEXT));
    mail.addContent(new Content("text/html", HTML));
    mail.setReplyTo(email(null, "help@acme.test"));
    mail.personalization.get(0).addHeader("X-Custom", "yes");
    mail.addAttachments(new Attachments.Builder("a.txt", new ByteArrayInputStream(FILE)).withType("text/plain").build());
    var sent = client.api(posted(mail));
    demand(sent.getStatusCode() == 202 && sent.getHeaders().containsKey("X-Message-Id"), sent.getBody());
    mail.setFrom(email("Acme", "nobody"));
    return String.valueOf(client.api(posted(mail)).getStatusCode());
  }

  static com.sendgrid.helpers.mail.objects.Email email(String name, String address) {
    return new com.sendgrid.helpers.mail.objects.Email(address, name);
  }

  static com.sendgrid.Request posted(Mail mail) throws IOException {
    var request = new com.sendgrid.Request();
    request.setMethod(Method.POST);
    request.setEndpoint("mail/send");
    request.setBody(mail.build());
    return request;
  }

  static String byPostmark() throws Exception {
    var client = Postmark.getApiClient("any", false, hostOf("postmark"));
    var mail = new com.postmarkapp.postmark.client.data.model.message.Message(FROM, to("postmark"), "postmark", HTML, TEXT);
    mail.setReplyTo("help@acme.test");
    mail.addHeader("X-Custom", "yes");
    mail.addMetadata("order", "A-1");
    mail.addAttachment("a.txt", FILE, "text/plain");
    var sent = client.deliverMessage(mail);
    demand(sent.getErrorCode() == 0, sent.getMessage());
    demand(client.getMessageDetails(sent.getMessageId()).getSubject().equals("postmark"), sent);
    mail.setFrom("nobody");
    return refused(com.postmarkapp.postmark.client.exception.InvalidMessageException.class, () -> client.deliverMessage(mail).getMessage()).getMessage();
  }

  static String byMailgun() throws Exception {
    MailgunMessagesApi api = MailgunClient.config(base + "/mailgun/", "any").createApi(MailgunMessagesApi.class);
    var mail = com.mailgun.model.message.Message.builder().to(to("mailgun")).subject("mailgun").text(TEXT).html(HTML)
        .replyTo("help@acme.test").headers(Map.of("X-Custom", "yes"))
        .formData(FormData.builder().fileName("a.txt").contentType("text/plain").data(FILE).build());
    var sent = api.sendMessage("acme.test", mail.from(FROM).build());
    demand(sent.getId().startsWith("<"), sent);
    return String.valueOf(refused(FeignException.class, () -> api.sendMessage("acme.test", mail.from("nobody").build()).getId()).status());
  }

  // The factory of the SDK takes a client.
  static String byMailerSend() throws Exception {
    MailerSendHttpClientFactory.getInstance().setClient(new ToMailcap("mailersend"));
    var client = new MailerSend();
    client.setToken("any");
    var file = Files.write(Files.createTempDirectory("sdks").resolve("a.txt"), FILE);
    var mail = new com.mailersend.sdk.emails.Email();
    mail.setFrom("Acme", "a@acme.test");
    mail.addRecipient("Ada", address("mailersend"));
    mail.AddReplyTo("", "help@acme.test");
    mail.setSubject("mailersend");
    mail.setPlain(TEXT);
    mail.setHtml(HTML);
    mail.attachFile(file.toFile());
    Files.delete(file);
    Files.delete(file.getParent());
    demand(client.emails().send(mail).messageId != null, "no id");
    mail.setFrom("Acme", "nobody");
    return refused(com.mailersend.sdk.exceptions.MailerSendException.class, () -> client.emails().send(mail).messageId).getMessage();
  }

  static String byBrevo() throws Exception {
    var client = new ApiClient();
    client.setBasePath(base + "/brevo/v3");
    client.setApiKey("any");
    var api = new TransactionalEmailsApi(client);
    var mail = new SendSmtpEmail().sender(new SendSmtpEmailSender().email("a@acme.test").name("Acme"))
        .to(List.of(new SendSmtpEmailTo().email(address("brevo")).name("Ada"))).subject("brevo").textContent(TEXT).htmlContent(HTML)
        .replyTo(new SendSmtpEmailReplyTo().email("help@acme.test")).headers(Map.of("X-Custom", "yes"))
        .addAttachmentItem(new SendSmtpEmailAttachment().name("a.txt").content(FILE));
    demand(api.sendTransacEmail(mail).getMessageId() != null, "no id");
    mail.sender(new SendSmtpEmailSender().email("nobody"));
    return refused(ApiException.class, () -> api.sendTransacEmail(mail).getMessageId()).getResponseBody();
  }

  // The hosts stand in the SDK's code. Its HTTP client holds that of Java.
  static String byMailtrap() throws Exception {
    var http = new DefaultMailtrapHttpClient(new MailtrapConfig.Builder().token("any").build());
    put(DefaultMailtrapHttpClient.class, "httpClient", http, new ToMailcap("mailtrap"));
    var client = MailtrapClientFactory.createMailtrapClient(new MailtrapConfig.Builder().token("any").httpClient(http).build());
    var mail = MailtrapMail.builder().to(List.of(new Address(address("mailtrap"), "Ada"))).subject("mailtrap").text(TEXT).html(HTML)
        .replyTo(new Address("help@acme.test")).headers(Map.of("X-Custom", "yes"))
        .attachments(List.of(EmailAttachment.builder().content(FILE64).type("text/plain").filename("a.txt").build()));
    demand(client.send(mail.from(new Address("a@acme.test", "Acme")).build()).isSuccess(), "no success");
    return refused(Exception.class, () -> client.send(mail.from(new Address("nobody", "Acme")).build()).toString()).getMessage();
  }

  static StaticCredentialsProvider keys() {
    return StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any"));
  }

  static String bySes2() {
    try (var client = SesV2Client.builder().region(Region.US_EAST_1).credentialsProvider(keys()).build()) {
      var sent = client.sendEmail(mail -> mail.fromEmailAddress(FROM).replyToAddresses("help@acme.test")
          .destination(them -> them.toAddresses(to("sesv2")))
          .content(content -> content.simple(simple -> simple.subject(data -> data.data("sesv2"))
              .body(body -> body.text(data -> data.data(TEXT)).html(data -> data.data(HTML)))
              .headers(MessageHeader.builder().name("X-Custom").value("yes").build())
              .attachments(file -> file.fileName("a.txt").rawContent(SdkBytes.fromByteArray(FILE))))));
      demand(!sent.messageId().isEmpty() && client.getAccount(any -> {}).sendingEnabled(), sent);
      try {
        return "taken: " + client.getEmailTemplate(named -> named.templateName("none"));
      } catch (NotFoundException error) {
        return error.awsErrorDetails().errorCode();
      }
    }
  }

  static String bySes1() {
    String raw = "From: " + FROM + "\r\nTo: " + to("ses") + "\r\nReply-To: help@acme.test\r\nSubject: ses\r\nX-Custom: yes\r\nMIME-Version: 1.0\r\n"
        + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + TEXT
        + "\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nhello\r\n--b--\r\n";
    try (var client = SesClient.builder().region(Region.US_EAST_1).credentialsProvider(keys()).build()) {
      var sent = client.sendRawEmail(mail -> mail.rawMessage(message -> message.data(SdkBytes.fromUtf8String(raw))));
      demand(!sent.messageId().isEmpty() && client.getSendQuota().max24HourSend() > 0, sent);
      try {
        return "taken: " + client.getTemplate(named -> named.templateName("none"));
      } catch (TemplateDoesNotExistException error) {
        return error.awsErrorDetails().errorCode();
      }
    }
  }

  static String bySns() {
    try (var client = SnsClient.builder().region(Region.US_EAST_1).credentialsProvider(keys()).build()) {
      var sent = client.publish(text -> text.phoneNumber(phone).message("sns: " + TEXT));
      demand(!sent.messageId().isEmpty(), sent);
      try {
        return "taken: " + client.publish(text -> text.phoneNumber("12").message("x"));
      } catch (InvalidParameterException error) {
        return error.awsErrorDetails().errorCode();
      }
    }
  }

  static String byTwilio() {
    var elsewhere = new NetworkHttpClient() {
      @Override
      public com.twilio.http.Response makeRequest(com.twilio.http.Request request) {
        var sent = new com.twilio.http.Request(request.getMethod(), request.getUrl().replaceFirst("^https://[^/]+", base + "/twilio"));
        sent.setAuth(request.getUsername(), request.getPassword());
        sent.setContentType(request.getContentType());
        request.getPostParams().forEach((name, values) -> values.forEach(value -> sent.addPostParam(name, value)));
        request.getQueryParams().forEach((name, values) -> values.forEach(value -> sent.addQueryParam(name, value)));
        return super.makeRequest(sent);
      }
    };
    var client = new TwilioRestClient.Builder("AC" + "0".repeat(32), "any").httpClient(elsewhere).build();
    var from = new PhoneNumber("+15005550006");
    var sent = Message.creator(new PhoneNumber(phone), from, "twilio: " + TEXT).create(client);
    demand(Message.fetcher(sent.getSid()).fetch(client).getBody().equals(sent.getBody()), sent);
    var service = Service.creator("Acme").create(client).getSid();
    Verification.creator(service, phone, "sms").setCustomCode("482913").create(client);
    var checked = VerificationCheck.creator(service).setTo(phone).setCode("482913").create(client);
    demand(checked.getStatus().equals("approved"), checked);
    try {
      return "taken: " + Message.creator(new PhoneNumber("+15005550001"), from, "x").create(client);
    } catch (com.twilio.exception.ApiException error) {
      return String.valueOf(error.getCode());
    }
  }

  static String byVonage() {
    var at = HttpConfig.builder().restBaseUri(base + "/vonage").build();
    var client = VonageClient.builder().apiKey("any").apiSecret("any-secret").httpConfig(at).build().getSmsClient();
    var sent = client.submitMessage(new TextMessage("Acme", phone, "vonage: " + TEXT)).getMessages().get(0);
    demand(sent.getErrorText() == null, sent);
    return String.valueOf(client.submitMessage(new TextMessage("Acme", "12", "x")).getMessages().get(0).getStatus());
  }

  /** Java's HTTP client, which sends the requests for a provider to mailcap. */
  static class ToMailcap extends HttpClient {
    private final HttpClient client = HttpClient.newHttpClient();
    private final String name;

    ToMailcap(String name) {
      this.name = name;
    }

    private HttpRequest moved(HttpRequest request) {
      URI at = URI.create(request.uri().toString().replaceFirst("^https://[^/]+", base + "/" + name));
      return HttpRequest.newBuilder(request, (header, value) -> true).uri(at).build();
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) throws IOException, InterruptedException {
      return client.send(moved(request), handler);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
      return client.sendAsync(moved(request), handler);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler, HttpResponse.PushPromiseHandler<T> pushed) {
      return client.sendAsync(moved(request), handler, pushed);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
      return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
      return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
      return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
      return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
      return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
      return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
      return client.authenticator();
    }

    @Override
    public Version version() {
      return client.version();
    }

    @Override
    public Optional<Executor> executor() {
      return client.executor();
    }
  }

  public static void main(String[] args) {
    base = args[0];
    domain = args[1];
    phone = args[2];
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put("resend-java", Sdks::byResend);
    calls.put("sendgrid-java", Sdks::bySendGrid);
    calls.put("postmark", Sdks::byPostmark);
    calls.put("mailgun", Sdks::byMailgun);
    calls.put("mailersend", Sdks::byMailerSend);
    calls.put("brevo", Sdks::byBrevo);
    calls.put("mailtrap", Sdks::byMailtrap);
    calls.put("sesv2", Sdks::bySes2);
    calls.put("ses", Sdks::bySes1);
    calls.put("sns", Sdks::bySns);
    calls.put("twilio", Sdks::byTwilio);
    calls.put("vonage", Sdks::byVonage);
    for (var one : calls.entrySet()) {
      String refusal;
      try {
        refusal = one.getValue().run();
      } catch (Throwable error) {
        refusal = "FAILED: " + error;
      }
      System.out.println(one.getKey() + "\t" + refusal.replaceAll("\\s+", " "));
    }
    System.exit(0);
  }
}
