#!/usr/bin/env python3
# Python: a Share extension that shares the first link of its items and its host's announcements, and continues its work
# after the answer.

import exthost


def begin(context):
    links = [
        provider
        for item in context.items
        for provider in exthost.attachments(item)
        if "public.url" in provider["types"]
    ]
    if not links:
        nothing = exthost.error("org.exthost.samples", 7, "there is no link in it")
        return context.cancel(
            exthost.error(
                "org.exthost.samples", 7, "there is nothing to share", [(item, nothing) for item in context.items]
            )
        )
    announced = []
    context.on_announcement = announced.append
    context.on_cancelled = lambda cause: print("given up:", cause, flush=True)

    def share(link, failure):
        if failure:
            return context.cancel(exthost.error("org.exthost.samples", 8, f"the link did not come: {failure}"))
        result = exthost.item({"shared": link["string"], "announced": announced})
        context.complete([result], keep)

    def keep(expired):
        # The host has its answer. Longer work would return False here, continue, and stop when `keep` is called with
        # True.
        print("out of time" if expired else "kept", flush=True)
        return True

    context.load(links[0], "public.url", share)


exthost.run(begin)
