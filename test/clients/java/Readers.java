// Reads a mailbox with Jakarta Mail (Angus) over IMAP and POP3, and prints what it found, a line each: a name, a tab, a value.
// The arguments are the ports of IMAP and POP3, the user, the port of SMTP, and an address.
import jakarta.mail.Flags;
import jakarta.mail.Folder;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Store;
import jakarta.mail.Transport;
import jakarta.mail.UIDFolder;
import jakarta.mail.event.MessageCountAdapter;
import jakarta.mail.event.MessageCountEvent;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.search.AndTerm;
import jakarta.mail.search.BodyTerm;
import jakarta.mail.search.FlagTerm;
import jakarta.mail.search.FromStringTerm;
import jakarta.mail.search.SearchTerm;
import jakarta.mail.search.SubjectTerm;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.eclipse.angus.mail.imap.AppendUID;
import org.eclipse.angus.mail.imap.IMAPFolder;
import org.eclipse.angus.mail.pop3.POP3Folder;

public class Readers {
  static void say(String name, Object value) {
    System.out.println(name + "\t" + value);
  }

  static String uids(Folder folder, Message[] messages) {
    return Arrays.stream(messages).map(message -> {
      try {
        return Long.toString(((UIDFolder) folder).getUID(message));
      } catch (MessagingException error) {
        throw new IllegalStateException(error);
      }
    }).collect(Collectors.joining(" "));
  }

  static MimeMessage mail(Session session, String subject, String to) throws Exception {
    MimeMessage mail = new MimeMessage(session);
    mail.setFrom(new InternetAddress("a@x.test"));
    mail.setRecipients(Message.RecipientType.TO, to);
    mail.setSubject(subject);
    mail.setText("x");
    return mail;
  }

  public static void main(String[] args) throws Exception {
    int imapPort = Integer.parseInt(args[0]);
    int pop3Port = Integer.parseInt(args[1]);
    String user = args[2];
    Properties settings = new Properties();
    settings.put("mail.smtp.host", "127.0.0.1");
    settings.put("mail.smtp.port", args[3]);
    settings.put("mail.imap.timeout", "20000");
    settings.put("mail.imap.starttls.enable", "true");
    settings.put("mail.imap.starttls.required", "true");
    settings.put("mail.imap.ssl.trust", "*");
    settings.put("mail.imap.ssl.checkserveridentity", "false");
    Session session = Session.getInstance(settings);
    try (Store store = session.getStore("imap")) {
      store.connect("127.0.0.1", imapPort, user, "x");
      say("list", Arrays.stream(store.getDefaultFolder().list("*")).map(Folder::getFullName).collect(Collectors.joining(" ")));
      IMAPFolder inbox = (IMAPFolder) store.getFolder("INBOX");
      inbox.open(Folder.READ_WRITE);
      say("unread", inbox.getUnreadMessageCount());
      Message[] all = inbox.getMessages();
      for (Message message : all) {
        say("mail", message.getSubject() + " " + ((InternetAddress) message.getFrom()[0]).getAddress() + " " + message.getContentType());
      }
      say("text", all[0].getContent().toString().trim().replaceAll("\r?\n", "|"));
      SearchTerm[] terms = {
        new SubjectTerm("two"),
        new BodyTerm("body of three"),
        new AndTerm(new FromStringTerm("ada"), new FlagTerm(new Flags(Flags.Flag.SEEN), false)),
      };
      for (SearchTerm term : terms) say("search", uids(inbox, inbox.search(term)));
      Flags flags = new Flags(Flags.Flag.FLAGGED);
      flags.add("shop");
      inbox.setFlags(new Message[] {all[1]}, flags, true);
      say("flagged", uids(inbox, inbox.search(new FlagTerm(new Flags("shop"), true))));
      AppendUID[] appended = inbox.appendUIDMessages(new Message[] {mail(session, "appended", args[4])});
      say("appended", appended[0].uid);
      CountDownLatch came = new CountDownLatch(1);
      inbox.getMessageCount();
      inbox.addMessageCountListener(new MessageCountAdapter() {
        @Override
        public void messagesAdded(MessageCountEvent event) {
          came.countDown();
        }
      });
      Thread idle = new Thread(() -> {
        try {
          inbox.idle(true);
        } catch (MessagingException error) {
          say("idle", error);
        }
      });
      idle.start();
      Transport.send(mail(session, "idle", args[4]));
      say("idle", came.await(20, TimeUnit.SECONDS));
      idle.join(20_000);
      say("copied", inbox.copyUIDMessages(new Message[] {all[1]}, inbox)[0].uid);
      all[2].setFlag(Flags.Flag.DELETED, true);
      say("expunged", inbox.expunge().length);
      say("left", uids(inbox, inbox.getMessages()));
      inbox.close(false);
    }
    try (Store store = session.getStore("pop3")) {
      store.connect("127.0.0.1", pop3Port, user, "x");
      POP3Folder inbox = (POP3Folder) store.getFolder("INBOX");
      inbox.open(Folder.READ_WRITE);
      say("pop3", inbox.getMessageCount() + " " + inbox.getMessage(1).getSubject() + " " + inbox.getUID(inbox.getMessage(1)).length());
      say("pop3 text", inbox.getMessage(1).getContent().toString().trim().replaceAll("\r?\n", "|"));
      inbox.getMessage(1).setFlag(Flags.Flag.DELETED, true);
      inbox.close(true);
      inbox.open(Folder.READ_ONLY);
      say("pop3 left", inbox.getMessageCount());
      inbox.close(false);
    }
  }
}
