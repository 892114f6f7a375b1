// Reads a mailbox with go-imap, and prints what it found as JSON. The arguments are the port, the user, and the port of SMTP.
package main

import (
	"encoding/json"
	"fmt"
	"net/smtp"
	"os"
	"sort"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func check(err error) { must(0, err) }

func main() {
	port, user, smtpPort, to := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	found := map[string]any{}
	arrived := make(chan uint32, 10)
	options := &imapclient.Options{UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Mailbox: func(data *imapclient.UnilateralDataMailbox) {
			if data.NumMessages != nil {
				arrived <- *data.NumMessages
			}
		},
	}}
	client := must(imapclient.DialInsecure("127.0.0.1:"+port, options))
	check(client.Login(user, "x").Wait())
	names := []string{}
	for _, box := range must(client.List("", "*", nil).Collect()) {
		names = append(names, box.Mailbox)
	}
	found["list"] = names
	selected := must(client.Select("INBOX", nil).Wait())
	found["exists"] = selected.NumMessages

	all := imap.SeqSet{}
	all.AddRange(1, 0)
	body := &imap.FetchItemBodySection{Peek: true}
	want := &imap.FetchOptions{UID: true, Envelope: true, Flags: true, RFC822Size: true, InternalDate: true,
		BodyStructure: &imap.FetchItemBodyStructure{Extended: true}, BodySection: []*imap.FetchItemBodySection{body}}
	envelopes, types, bodies := []string{}, []string{}, []string{}
	for _, message := range must(client.Fetch(all, want).Collect()) {
		envelopes = append(envelopes, fmt.Sprintf("%d %s %s", message.UID, message.Envelope.Subject, message.Envelope.From[0].Addr()))
		types = append(types, message.BodyStructure.MediaType())
		bodies = append(bodies, string(message.FindBodySection(body)))
	}
	found["envelopes"], found["types"], found["body"] = envelopes, types, bodies[0]

	search := func(criteria *imap.SearchCriteria) []imap.UID {
		uids := must(client.UIDSearch(criteria, nil).Wait()).AllUIDs()
		return append([]imap.UID{}, uids...)
	}
	found["search"] = [][]imap.UID{
		search(&imap.SearchCriteria{Header: []imap.SearchCriteriaHeaderField{{Key: "Subject", Value: "two"}}}),
		search(&imap.SearchCriteria{Body: []string{"body of three"}}),
		search(&imap.SearchCriteria{NotFlag: []imap.Flag{imap.FlagSeen}}),
	}

	flags := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen, imap.FlagFlagged, "shop"}}
	stored := must(client.Store(imap.UIDSetNum(1), flags, nil).Collect())
	of := []string{}
	for _, flag := range stored[0].Flags {
		of = append(of, string(flag))
	}
	sort.Strings(of)
	found["flags"] = of

	mail := []byte("Subject: appended\r\n\r\nx")
	append_ := client.Append("INBOX", int64(len(mail)), &imap.AppendOptions{Flags: []imap.Flag{imap.FlagSeen}})
	must(append_.Write(mail))
	check(append_.Close())
	found["appended"] = must(append_.Wait()).UID

	for len(arrived) > 0 {
		<-arrived
	}
	idle := must(client.Idle())
	check(smtp.SendMail("127.0.0.1:"+smtpPort, nil, "a@x.test", []string{to}, []byte("Subject: idle\r\n\r\nx\r\n")))
	select {
	case count := <-arrived:
		found["idle"] = count
	case <-time.After(20 * time.Second):
		found["idle"] = "nothing came"
	}
	check(idle.Close())
	check(idle.Wait())

	found["copied"] = must(client.Copy(imap.UIDSetNum(2), "INBOX").Wait()).DestUIDs.String()
	found["moved"] = must(client.Move(imap.UIDSetNum(4), "INBOX").Wait()).DestUIDs.String()
	deleted := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}
	check(client.Store(imap.UIDSetNum(3), deleted, nil).Close())
	found["expunged"] = must(client.UIDExpunge(imap.UIDSetNum(3)).Collect())
	found["left"] = search(&imap.SearchCriteria{})
	status := must(client.Status("INBOX", &imap.StatusOptions{NumMessages: true, UIDNext: true, NumUnseen: true}).Wait())
	found["status"] = []any{*status.NumMessages, status.UIDNext, *status.NumUnseen}
	check(client.Logout().Wait())
	json.NewEncoder(os.Stdout).Encode(found)
}
