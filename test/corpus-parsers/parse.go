// Reads the paths of mails from standard input, one a line, and prints what Go's net/mail and mime/multipart read in
// each. It knows the charsets of the standard library alone.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"strings"
)

type told map[string]any

func failed(err error) told { return told{"failed": err.Error()} }

func header(h mail.Header, name string) any {
	if len(h[name]) == 0 {
		return nil
	}
	text, err := new(mime.WordDecoder).DecodeHeader(h[name][len(h[name])-1])
	if err != nil {
		return failed(err)
	}
	return text
}

func addresses(h mail.Header, names ...string) any {
	found := []string{}
	for _, name := range names {
		for _, list := range h[name] {
			if strings.TrimSpace(list) == "" {
				continue
			}
			all, err := mail.ParseAddressList(list)
			if err != nil {
				return failed(err)
			}
			for _, one := range all {
				found = append(found, one.Address)
			}
		}
	}
	return found
}

type fields interface{ Get(string) string }

func tree(h fields, body io.Reader) (told, error) {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if h.Get("Content-Type") == "" {
		kind, err = "text/plain", nil
	}
	if err != nil {
		return nil, err
	}
	disposition, more, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	if h.Get("Content-Disposition") == "" {
		disposition, err = "", nil
	}
	if err != nil {
		return nil, err
	}
	name := more["filename"]
	if name == "" {
		name = params["name"]
	}
	one := told{"type": kind, "disposition": disposition, "name": name}
	if strings.HasPrefix(kind, "multipart/") {
		parts := []told{}
		reader := multipart.NewReader(body, params["boundary"])
		for {
			part, err := reader.NextRawPart()
			if errors.Is(err, io.EOF) {
				one["parts"] = parts
				return one, nil
			}
			if err != nil {
				return nil, err
			}
			inside, err := tree(part.Header, part)
			if err != nil {
				return nil, err
			}
			parts = append(parts, inside)
		}
	}
	if strings.HasPrefix(kind, "text/") {
		one["text"] = text(h, params["charset"], body)
	}
	return one, nil
}

func text(h fields, charset string, body io.Reader) any {
	switch strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	bytes, err := io.ReadAll(body)
	if err != nil {
		return failed(err)
	}
	switch strings.ToLower(charset) {
	case "utf-8", "us-ascii", "":
		return string(bytes)
	case "iso-8859-1":
		runes := make([]rune, len(bytes))
		for at, one := range bytes {
			runes[at] = rune(one)
		}
		return string(runes)
	}
	return failed(errors.New("the charset " + charset))
}

func read(path string) told {
	file, err := os.Open(path)
	if err != nil {
		return failed(err)
	}
	defer file.Close()
	message, err := mail.ReadMessage(bufio.NewReader(file))
	if err != nil {
		return failed(err)
	}
	var body any
	if body, err = tree(message.Header, message.Body); err != nil {
		body = failed(err)
	}
	return told{
		"subject": header(message.Header, "Subject"),
		"from":    addresses(message.Header, "From"),
		"toAndCc": addresses(message.Header, "To", "Cc"),
		"body":    body,
	}
}

func main() {
	all := []told{}
	paths := bufio.NewScanner(os.Stdin)
	for paths.Scan() {
		all = append(all, read(paths.Text()))
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		panic(err)
	}
}
