#!/usr/bin/env python3
# teller: tells what it was given in each request; one whose link ends in “/wait” is not answered.
import exthost


def begin(context):
    def tell(link, failure):
        print("was given", failure or link["string"], flush=True)
        if failure or not link["string"].endswith("/wait"):
            context.complete([], tell_end)

    def tell_end(expired):
        print("is done", flush=True)
        return True

    provider = exthost.attachments(context.items[0])[0]
    context.load(provider, "public.url", tell)


exthost.run(begin)
