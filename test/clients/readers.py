"""Reads a mailbox with IMAPClient and imap-tools, and prints what they found."""

import json
import sys

from imap_tools import AND, MailBoxUnencrypted
from imapclient import IMAPClient

port, user = int(sys.argv[1]), sys.argv[2]
found = {}
with IMAPClient("127.0.0.1", port=port, ssl=False) as client:
    client.login(user, "x")
    client.select_folder("INBOX")
    fetched = client.fetch(client.search("ALL"), ["ENVELOPE", "FLAGS", "RFC822.SIZE"])
    found["envelopes"] = [
        [uid, data[b"ENVELOPE"].subject.decode(), str(data[b"ENVELOPE"].from_[0]).split("<")[-1].rstrip(">")]
        for uid, data in sorted(fetched.items())
    ]
    found["search"] = [list(client.search(["SUBJECT", "two"])), list(client.search("UNSEEN"))]
    client.add_flags([1], [b"\\Seen", b"\\Flagged", b"shop"])
    found["flags"] = sorted(flag.decode() for flag in client.get_flags([1])[1])
    found["appended"] = b"APPENDUID" in client.append("INBOX", b"Subject: appended\r\n\r\nx", [b"\\Seen"])
    client.delete_messages([3])
    client.expunge()
    found["expunged"] = list(client.search("ALL"))
with MailBoxUnencrypted("127.0.0.1", port=port).login(user, "x") as box:
    messages = list(box.fetch(mark_seen=False))
    found["tools"] = [message.subject for message in messages]
    found["texts"] = messages[0].text
    found["unseen"] = [message.subject for message in box.fetch(AND(seen=False), mark_seen=False)]
print(json.dumps(found))
