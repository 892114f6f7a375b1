"""Reads the paths of mails from standard input, one a line, and prints what Python's email package reads in each."""

import email
import email.policy
import json
import sys


def safe(read):
    try:
        return read()
    except Exception as error:  # The package raises many kinds for damaged mails.
        return {"failed": repr(error)}


def addresses(mail, *names):
    headers = [header for name in names for header in mail.get_all(name) or []]
    return [one.addr_spec for header in headers for one in header.addresses if one.addr_spec]


def tree(part):
    told = {
        "type": part.get_content_type(),
        "disposition": part.get_content_disposition(),
        "name": part.get_filename(),
    }
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        return {**told, "parts": [tree(one) for one in part.iter_parts()]}
    if part.get_content_maintype() == "text":
        return {**told, "text": safe(part.get_content)}
    return told


def read(path):
    with open(path, "rb") as file:
        mail = email.message_from_bytes(file.read(), policy=email.policy.default)
    return {
        "subject": safe(lambda: None if mail["subject"] is None else str(mail["subject"])),
        "from": safe(lambda: addresses(mail, "from")),
        "toAndCc": safe(lambda: addresses(mail, "to", "cc")),
        "body": safe(lambda: tree(mail)),
    }


print(json.dumps([safe(lambda: read(path)) for path in sys.stdin.read().splitlines()]))
