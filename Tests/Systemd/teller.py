#!/usr/bin/env python3
# teller: prints the input of each request; a request whose link ends in “/wait” gets no answer.
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
