"""payloads: writes three requests as property lists, always the same: 1 KB, 59 KB of many items, 8 MB of data in one
item.
"""

import datetime
import plistlib
import random

WORDS = [
    "share",
    "photo",
    "note",
    "link",
    "text",
    "draft",
    "album",
    "queue",
    "window",
    "panel",
    "frame",
    "item",
    "host",
    "guest",
    "reply",
    "state",
    "cache",
    "event",
]


def write(folder):
    """Writes the files. Returns their paths by the names small, many and large."""
    dice = random.Random(11)

    def text(length):
        return " ".join(dice.choice(WORDS) for _ in range(length // 3))[:length]

    def attachment(types, name, kind, value):
        return {"types": types, "suggestedName": name, "kind": kind, "value": value}

    def item(attachments):
        return {
            "attributedTitle": text(30),
            "attributedContentText": text(120),
            "attachments": attachments,
            "userInfo": {"order": dice.randrange(1000), "pinned": True},
        }

    def link():
        return attachment(["public.url"], "page", "string", "https://example.org/" + text(50).replace(" ", "-"))

    def note():
        return attachment(["public.utf8-plain-text", "public.text"], "note.txt", "string", text(310))

    def mixed(number):
        moment = datetime.datetime(2026, 11, 1 + number % 28, 12, 0, number)
        return item(
            [
                link(),
                note(),
                attachment(["public.png", "public.image"], f"i{number}.png", "data", dice.randbytes(420)),
                attachment(["public.date"], "when", "date", moment),
                attachment(["public.number"], "n", "real", number / 7),
            ]
        )

    large = item([attachment(["public.jpeg", "public.image"], "large.jpg", "data", dice.randbytes(8 << 20))])
    paths = {}
    for name, items in {
        "small": [item([link(), note()])],
        "many": [mixed(number) for number in range(50)],
        "large": [large],
    }.items():
        request = {
            "op": "begin",
            "id": "9C0A3A9E-7B4C-4E6F-8C4E-2B1B6D0A5F11",
            "point": "com.apple.share-services",
            "deadline": 12.5,
            "items": items,
        }
        paths[name] = folder / f"{name}.plist"
        paths[name].write_bytes(plistlib.dumps(request, fmt=plistlib.FMT_BINARY, sort_keys=False))
    return paths
