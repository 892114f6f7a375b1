// Mail clients of Go: one mail for each configuration named on the command line. One line each: its name, a tab, ok or what went wrong.
package main

import (
	"context"
	"fmt"
	"net/smtp"
	"os"
	"strconv"
	"strings"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
	"github.com/jordan-wright/email"
	gomail "github.com/wneessen/go-mail"
	gomail2 "gopkg.in/gomail.v2"
	mail2 "gopkg.in/mail.v2"
)

const from = "app@example.com"

var host = os.Getenv("HOST")
var port, _ = strconv.Atoi(os.Getenv("PORT"))
var tlsPort, _ = strconv.Atoi(os.Getenv("TLS_PORT"))
var at = host + ":" + strconv.Itoa(port)

func to(name string) string { return name + "@inbox.mailcap.example.com" }

func text(name string) string {
	return "From: " + from + "\r\nTo: " + to(name) + "\r\nSubject: " + name + "\r\n\r\nHello.\r\n"
}

func byGomail(user string, ssl bool) func(string) error {
	return func(name string) error {
		m := gomail2.NewMessage()
		m.SetHeader("From", from)
		m.SetHeader("To", to(name))
		m.SetHeader("Subject", name)
		m.SetBody("text/plain", "Hello.")
		d := gomail2.NewDialer(host, port, user, "secret")
		if ssl {
			d.Port, d.SSL = tlsPort, true
		}
		return d.DialAndSend(m)
	}
}

func byMail2(user string) func(string) error {
	return func(name string) error {
		m := mail2.NewMessage()
		m.SetHeader("From", from)
		m.SetHeader("To", to(name))
		m.SetHeader("Subject", name)
		m.SetBody("text/plain", "Hello.")
		return mail2.NewDialer(host, port, user, "secret").DialAndSend(m)
	}
}

func byGoMail(options ...gomail.Option) func(string) error {
	return func(name string) error {
		m := gomail.NewMsg()
		if err := m.From(from); err != nil {
			return err
		}
		if err := m.To(to(name)); err != nil {
			return err
		}
		m.Subject(name)
		m.SetBodyString(gomail.TypeTextPlain, "Hello.")
		c, err := gomail.NewClient(host, append([]gomail.Option{gomail.WithPort(port)}, options...)...)
		if err != nil {
			return err
		}
		return c.DialAndSendWithContext(context.Background(), m)
	}
}

func bySmtp(auth smtp.Auth) func(string) error {
	return func(name string) error { return smtp.SendMail(at, auth, from, []string{to(name)}, []byte(text(name))) }
}

func byEmersion(login sasl.Client) func(string) error {
	return func(name string) error {
		return gosmtp.SendMail(at, login, from, []string{to(name)}, strings.NewReader(text(name)))
	}
}

func emersionPlain(name string) error {
	c, err := gosmtp.Dial(at)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.SendMail(from, []string{to(name)}, strings.NewReader(text(name)))
}

func byJordan(name string) error {
	e := email.NewEmail()
	e.From, e.To, e.Subject, e.Text = from, []string{to(name)}, name, []byte("Hello.")
	return e.Send(at, nil)
}

func main() {
	plain := smtp.PlainAuth("", "app", "secret", host)
	configurations := map[string]func(string) error{
		"go-net-smtp":           bySmtp(nil),
		"go-net-smtp-auth":      bySmtp(plain),
		"gomail":                byGomail("", false),
		"gomail-auth":           byGomail("app", false),
		"gomail-ssl":            byGomail("", true),
		"mail-v2":               byMail2(""),
		"mail-v2-auth":          byMail2("app"),
		"go-mail":               byGoMail(),
		"go-mail-opportunistic": byGoMail(gomail.WithTLSPolicy(gomail.TLSOpportunistic)),
		"go-mail-notls":         byGoMail(gomail.WithTLSPolicy(gomail.NoTLS)),
		"go-mail-auth":          byGoMail(gomail.WithTLSPolicy(gomail.TLSOpportunistic), gomail.WithSMTPAuth(gomail.SMTPAuthPlain), gomail.WithUsername("app"), gomail.WithPassword("secret")),
		"jordan-wright-email":   byJordan,
		"emersion-smtp":         byEmersion(nil),
		"emersion-smtp-plain":   emersionPlain,
	}
	for _, name := range os.Args[1:] {
		told := "ok"
		if err := configurations[name](name); err != nil {
			told = strings.Split(err.Error(), "\n")[0]
		}
		fmt.Printf("%s\t%s\n", name, told)
	}
}
