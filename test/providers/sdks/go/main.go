// The SDKs of providers for Go. Prints the name of each call that went well, and what the SDK reads of a refusal.
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ses"
	sestypes "github.com/aws/aws-sdk-go-v2/service/ses/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	keighl "github.com/keighl/postmark"
	"github.com/mailgun/mailgun-go/v4"
	"github.com/mrz1836/postmark"
	"github.com/resend/resend-go/v3"
	"github.com/sendgrid/sendgrid-go"
	"github.com/sendgrid/sendgrid-go/helpers/mail"
	"github.com/twilio/twilio-go"
	twilioclient "github.com/twilio/twilio-go/client"
	api "github.com/twilio/twilio-go/rest/api/v2010"
	verify "github.com/twilio/twilio-go/rest/verify/v2"
)

const from, text, html, file = "Acme <a@acme.test>", "Your code is 482913.", "<p>Your code is 482913.</p>", "hello"

var base, domain, phone = os.Args[1], os.Args[2], os.Args[3]
var file64 = base64.StdEncoding.EncodeToString([]byte(file))
var ctx = context.Background()

func to(name string) string { return "Ada <" + name + "@" + domain + ">" }

func byResend() (string, error) {
	client := resend.NewClient("re_any")
	params := &resend.SendEmailRequest{
		From: from, To: []string{to("resend-go")}, Subject: "resend-go", Text: text, Html: html, ReplyTo: "help@acme.test",
		Headers:     map[string]string{"X-Custom": "yes"},
		Tags:        []resend.Tag{{Name: "kind", Value: "code"}},
		Attachments: []*resend.Attachment{{Filename: "a.txt", Content: []byte(file)}},
	}
	sent, err := client.Emails.Send(params)
	if err != nil {
		return "", err
	}
	found, err := client.Emails.Get(sent.Id)
	if err != nil || found.Subject != "resend-go" {
		return "", fmt.Errorf("get: %v %v", found, err)
	}
	params.From = "nobody"
	_, err = client.Emails.Send(params)
	return fmt.Sprint(err), nil
}

func bySendGrid() (string, error) {
	m := mail.NewSingleEmail(mail.NewEmail("Acme", "a@acme.test"), "sendgrid-go", mail.NewEmail("Ada", "sendgrid-go@"+domain), text, html)
	m.SetReplyTo(mail.NewEmail("", "help@acme.test")).SetHeader("X-Custom", "yes")
	m.AddAttachment(mail.NewAttachment().SetContent(file64).SetType("text/plain").SetFilename("a.txt"))
	request := sendgrid.GetRequest("SG.any", "/v3/mail/send", base+"/sendgrid")
	request.Method = "POST"
	request.Body = mail.GetRequestBody(m)
	response, err := sendgrid.API(request)
	if err != nil || response.StatusCode != 202 || response.Headers["X-Message-Id"] == nil {
		return "", fmt.Errorf("%v %v", response, err)
	}
	m.From.Address = "nobody"
	request.Body = mail.GetRequestBody(m)
	response, err = sendgrid.API(request)
	return fmt.Sprint(response.StatusCode), err
}

func byKeighl() (string, error) {
	client := keighl.NewClient("any", "any")
	client.BaseURL = base + "/postmark"
	email := keighl.Email{From: from, To: to("keighl"), Subject: "keighl", TextBody: text, HtmlBody: html, ReplyTo: "help@acme.test",
		Headers:     []keighl.Header{{Name: "X-Custom", Value: "yes"}},
		Attachments: []keighl.Attachment{{Name: "a.txt", Content: file64, ContentType: "text/plain"}}}
	sent, err := client.SendEmail(email)
	if err != nil || sent.ErrorCode != 0 {
		return "", fmt.Errorf("%v %v", sent, err)
	}
	email.From = "nobody"
	_, err = client.SendEmail(email)
	return fmt.Sprint(err), nil
}

func byMrz() (string, error) {
	client := postmark.NewClient("any", "any")
	client.BaseURL = base + "/postmark"
	email := postmark.Email{From: from, To: to("mrz1836"), Subject: "mrz1836", TextBody: text, HTMLBody: html, ReplyTo: "help@acme.test",
		MessageStream: "outbound",
		Headers:       []postmark.Header{{Name: "X-Custom", Value: "yes"}},
		Attachments:   []postmark.Attachment{{Name: "a.txt", Content: file64, ContentType: "text/plain"}}}
	sent, err := client.SendEmailBatch(ctx, []postmark.Email{email})
	if err != nil || sent[0].ErrorCode != 0 || sent[0].MessageID == "" {
		return "", fmt.Errorf("%v %v", sent, err)
	}
	email.From = "nobody"
	_, err = client.SendEmail(ctx, email)
	return fmt.Sprint(err), nil
}

func byMailgun() (string, error) {
	client := mailgun.NewMailgun("acme.test", "any")
	client.SetAPIBase(base + "/mailgun/v3")
	m := mailgun.NewMessage(from, "mailgun-go", text, to("mailgun-go"))
	m.SetHTML(html)
	m.SetReplyTo("help@acme.test")
	m.AddHeader("X-Custom", "yes")
	m.AddBufferAttachment("a.txt", []byte(file))
	if _, id, err := client.Send(ctx, m); err != nil || id == "" {
		return "", fmt.Errorf("%v %v", id, err)
	}
	_, _, err := client.Send(ctx, mailgun.NewMessage("nobody", "x", text, to("mailgun-go")))
	return fmt.Sprint(err.(*mailgun.UnexpectedResponseError).Actual), nil
}

func amazon() aws.Config {
	keys := credentials.NewStaticCredentialsProvider("any", "any", "")
	found, err := config.LoadDefaultConfig(ctx, config.WithRegion("us-east-1"), config.WithCredentialsProvider(keys), config.WithRetryMaxAttempts(1))
	if err != nil {
		panic(err)
	}
	return found
}

func bySes2() (string, error) {
	client := sesv2.NewFromConfig(amazon())
	data := func(text string) *types.Content { return &types.Content{Data: &text} }
	simple := &types.Message{
		Subject:     data("sesv2"),
		Body:        &types.Body{Text: data(text), Html: data(html)},
		Headers:     []types.MessageHeader{{Name: aws.String("X-Custom"), Value: aws.String("yes")}},
		Attachments: []types.Attachment{{FileName: aws.String("a.txt"), RawContent: []byte(file)}},
	}
	input := &sesv2.SendEmailInput{FromEmailAddress: aws.String(from), ReplyToAddresses: []string{"help@acme.test"},
		Destination: &types.Destination{ToAddresses: []string{to("sesv2")}}, Content: &types.EmailContent{Simple: simple}}
	if sent, err := client.SendEmail(ctx, input); err != nil || *sent.MessageId == "" {
		return "", err
	}
	if account, err := client.GetAccount(ctx, &sesv2.GetAccountInput{}); err != nil || !account.SendingEnabled {
		return "", fmt.Errorf("account: %v", err)
	}
	_, err := client.GetEmailTemplate(ctx, &sesv2.GetEmailTemplateInput{TemplateName: aws.String("none")})
	_, isMissing := underlying[*types.NotFoundException](err)
	return fmt.Sprint(isMissing), nil
}

func underlying[E error](err error) (E, bool) {
	for err != nil {
		if found, ok := err.(E); ok {
			return found, true
		}
		wrapped, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = wrapped.Unwrap()
	}
	var none E
	return none, false
}

func bySes1() (string, error) {
	client := ses.NewFromConfig(amazon())
	raw := "From: " + from + "\r\nTo: " + to("ses") + "\r\nReply-To: help@acme.test\r\nSubject: ses\r\nX-Custom: yes\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + text +
		"\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n" + file + "\r\n--b--\r\n"
	sent, err := client.SendRawEmail(ctx, &ses.SendRawEmailInput{RawMessage: &sestypes.RawMessage{Data: []byte(raw)}})
	if err != nil || *sent.MessageId == "" {
		return "", err
	}
	if quota, err := client.GetSendQuota(ctx, &ses.GetSendQuotaInput{}); err != nil || quota.Max24HourSend == 0 {
		return "", fmt.Errorf("quota: %v", err)
	}
	_, err = client.GetTemplate(ctx, &ses.GetTemplateInput{TemplateName: aws.String("none")})
	_, isMissing := underlying[*sestypes.TemplateDoesNotExistException](err)
	return fmt.Sprint(isMissing), nil
}

func bySns() (string, error) {
	client := sns.NewFromConfig(amazon())
	sent, err := client.Publish(ctx, &sns.PublishInput{PhoneNumber: &phone, Message: aws.String("sns: " + text)})
	if err != nil || *sent.MessageId == "" {
		return "", err
	}
	_, err = client.Publish(ctx, &sns.PublishInput{PhoneNumber: aws.String("12"), Message: aws.String("x")})
	return fmt.Sprint(strings.Contains(fmt.Sprint(err), "InvalidParameter")), nil
}

// The SDK writes Twilio's hosts into its code, and takes an HTTP client.
type toMailcap struct{}

func (toMailcap) RoundTrip(request *http.Request) (*http.Response, error) {
	at, err := request.URL.Parse(base + "/twilio" + request.URL.Path)
	if err != nil {
		return nil, err
	}
	at.RawQuery = request.URL.RawQuery
	request.URL, request.Host = at, at.Host
	return http.DefaultTransport.RoundTrip(request)
}

func byTwilio() (string, error) {
	sid := "AC" + strings.Repeat("0", 32)
	client := &twilioclient.Client{Credentials: twilioclient.NewCredentials(sid, "any"), HTTPClient: &http.Client{Transport: toMailcap{}}}
	client.SetAccountSid(sid)
	rest := twilio.NewRestClientWithParams(twilio.ClientParams{Client: client})
	params := (&api.CreateMessageParams{}).SetTo(phone).SetFrom("+15005550006").SetBody("twilio: " + text)
	sent, err := rest.Api.CreateMessage(params)
	if err != nil {
		return "", err
	}
	if found, err := rest.Api.FetchMessage(*sent.Sid, nil); err != nil || *found.Body != *sent.Body {
		return "", fmt.Errorf("fetch: %v", err)
	}
	service, err := rest.VerifyV2.CreateService((&verify.CreateServiceParams{}).SetFriendlyName("Acme"))
	if err != nil {
		return "", err
	}
	start := (&verify.CreateVerificationParams{}).SetTo(phone).SetChannel("sms").SetCustomCode("482913")
	if _, err := rest.VerifyV2.CreateVerification(*service.Sid, start); err != nil {
		return "", err
	}
	check := (&verify.CreateVerificationCheckParams{}).SetTo(phone).SetCode("482913")
	if checked, err := rest.VerifyV2.CreateVerificationCheck(*service.Sid, check); err != nil || *checked.Status != "approved" {
		return "", fmt.Errorf("check: %v", err)
	}
	_, err = rest.Api.CreateMessage(params.SetTo("+15005550001"))
	return fmt.Sprint(err.(*twilioclient.TwilioRestError).Code), nil
}

func main() {
	runs := []struct {
		name string
		run  func() (string, error)
	}{
		{"resend-go", byResend}, {"sendgrid-go", bySendGrid}, {"keighl", byKeighl}, {"mrz1836", byMrz}, {"mailgun-go", byMailgun},
		{"sesv2", bySes2}, {"ses", bySes1}, {"sns", bySns}, {"twilio", byTwilio},
	}
	for _, one := range runs {
		refusal, err := one.run()
		if err != nil {
			refusal = "FAILED: " + err.Error()
		}
		fmt.Printf("%s\t%s\n", one.name, refusal)
	}
}
