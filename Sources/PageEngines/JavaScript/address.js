// Addresses for the engine jsc, which has none of its own: URL and URLSearchParams, as far as scripts of pages use them.
(function () {
    "use strict";
    function nothing() { }
    var ports = {"http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21"};
    var pattern = /^(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?:\/\/([^\/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/;
    function escaped(value, kept) {
        return value.replace(/[^!-~]|["<>`{}]/gu, function (character) {
            if (kept.indexOf(character) >= 0) return character;
            try { return encodeURIComponent(character); } catch (error) { return "%EF%BF%BD"; }
        });
    }
    function withoutDots(path) {
        var parts = [], segments = path.split("/");
        segments.forEach(function (segment, index) {
            var plain = segment.replace(/%2e/gi, "."), isLast = index === segments.length - 1;
            if (plain === "..") {
                if (parts.length > 1) parts.pop();
                if (isLast) parts.push("");
            } else if (plain !== ".") {
                parts.push(segment);
            } else if (isLast) {
                parts.push("");
            }
        });
        return parts.join("/");
    }
    // Returns the parts of an absolute address, or nothing.
    function parsed(written, base) {
        var match = pattern.exec(String(written).trim().replace(/[\t\n\r]/g, ""));
        if (!match) return null;
        var parts = {protocol: match[1] ? match[1].toLowerCase() + ":" : "", authority: match[2], path: match[3],
            query: match[4] || "", fragment: match[5] || ""};
        var isSpecial = parts.protocol in ports || parts.protocol === "file:";
        if (!parts.protocol) {
            if (!base) return null;
            parts.protocol = base.protocol;
            isSpecial = parts.protocol in ports || parts.protocol === "file:";
            if (parts.authority === undefined) {
                if (base.authority === undefined && !base.path.startsWith("/") && (parts.path || parts.query)) return null;
                parts.authority = base.authority;
                if (!parts.path) {
                    parts.path = base.path;
                    if (!match[4]) parts.query = base.query;
                } else if (parts.path[0] !== "/") {
                    parts.path = base.path.slice(0, base.path.lastIndexOf("/") + 1) + parts.path;
                }
            }
        } else if (isSpecial && parts.authority === undefined) {
            return parsed(parts.protocol + "//" + String(written).trim().replace(/^[^:]*:\/*/, ""), null);
        }
        parts.userinfo = "";
        parts.host = "";
        parts.port = "";
        if (parts.authority !== undefined) {
            var place = parts.authority.lastIndexOf("@");
            if (place >= 0) parts.userinfo = parts.authority.slice(0, place);
            var host = /^(\[[0-9A-Fa-f:.]*\]|[^:\[\]]*)(?::(\d*))?$/.exec(parts.authority.slice(place + 1));
            if (!host || isSpecial && !host[1] && parts.protocol !== "file:" || Number(host[2] || 0) > 65535) return null;
            parts.host = isSpecial ? host[1].toLowerCase() : host[1];
            parts.port = host[2] && host[2] !== ports[parts.protocol] ? String(Number(host[2])) : "";
            parts.path = withoutDots(isSpecial && !parts.path ? "/" : parts.path);
            if (isSpecial && parts.path[0] !== "/") parts.path = "/" + parts.path;
        }
        parts.path = escaped(parts.path, parts.authority === undefined ? "\"<>`{} " : "");
        parts.query = escaped(parts.query, "`{}");
        if (parts.query === "?") parts.query = "";
        parts.fragment = parts.fragment === "#" ? "" : escaped(parts.fragment, "{}");
        return parts;
    }
    function assembled(parts) {
        var authority = parts.authority === undefined ? "" : "//" + (parts.userinfo ? parts.userinfo + "@" : "")
            + parts.host + (parts.port ? ":" + parts.port : "");
        return parts.protocol + authority + parts.path + parts.query + parts.fragment;
    }
    function resolved(written, base) {
        var parts = parsed(written, parsed(base, null));
        return parts ? assembled(parts) : String(written);
    }

    class URLSearchParams {
        #entries = [];
        #changed = nothing;
        constructor(init, changed) {
            if (changed) this.#changed = changed;
            if (init && typeof init === "object") {
                var pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
                for (var [key, value] of pairs) this.#entries.push([String(key), String(value)]);
                return;
            }
            String(init === undefined ? "" : init).replace(/^\?/, "").split("&").forEach((part) => {
                if (!part) return;
                var [key, ...rest] = part.split("=");
                this.#entries.push([decoded(key), decoded(rest.join("="))]);
            });
        }
        get(name) { var found = this.#entries.find((entry) => entry[0] === String(name)); return found ? found[1] : null; }
        getAll(name) { return this.#entries.filter((entry) => entry[0] === String(name)).map((entry) => entry[1]); }
        has(name) { return this.#entries.some((entry) => entry[0] === String(name)); }
        append(name, value) { this.#entries.push([String(name), String(value)]); this.#changed(this); }
        delete(name) { this.#entries = this.#entries.filter((entry) => entry[0] !== String(name)); this.#changed(this); }
        set(name, value) {
            var place = this.#entries.findIndex((entry) => entry[0] === String(name));
            this.#entries = this.#entries.filter((entry, index) => entry[0] !== String(name) || index === place);
            if (place >= 0) this.#entries[place][1] = String(value); else this.#entries.push([String(name), String(value)]);
            this.#changed(this);
        }
        sort() { this.#entries.sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0); this.#changed(this); }
        forEach(body, self) { this.#entries.forEach((entry) => body.call(self, entry[1], entry[0], this)); }
        entries() { return this.#entries.map((entry) => entry.slice())[Symbol.iterator](); }
        keys() { return this.#entries.map((entry) => entry[0])[Symbol.iterator](); }
        values() { return this.#entries.map((entry) => entry[1])[Symbol.iterator](); }
        [Symbol.iterator]() { return this.entries(); }
        get size() { return this.#entries.length; }
        toString() {
            var quoted = (value) => encodeURIComponent(value).replace(/%20/g, "+")
                .replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
            return this.#entries.map((entry) => quoted(entry[0]) + "=" + quoted(entry[1])).join("&");
        }
    }
    function decoded(value) {
        var plain = value.replace(/\+/g, " ");
        try { return decodeURIComponent(plain); } catch (error) { return plain; }
    }
    class URL {
        #parts;
        #search;
        constructor(written, base) {
            var outer = base === undefined ? null : parsed(base, null);
            this.#parts = base !== undefined && !outer ? null : parsed(written, outer);
            if (!this.#parts) throw new TypeError("Invalid URL: " + written);
            this.#search = new URLSearchParams(this.#parts.query, (list) => {
                this.#parts.query = list.size ? "?" + list : "";
            });
        }
        static canParse(written, base) { try { new URL(written, base); return true; } catch (error) { return false; } }
        #set(change) {
            var parts = Object.assign({}, this.#parts);
            change(parts);
            parts = parsed(assembled(parts), null);
            if (parts) this.#parts = parts;
        }
        get href() { return assembled(this.#parts); }
        get protocol() { return this.#parts.protocol; }
        get username() { return this.#parts.userinfo.split(":")[0]; }
        get password() { return this.#parts.userinfo.split(":").slice(1).join(":"); }
        get hostname() { return this.#parts.host; }
        get port() { return this.#parts.port; }
        get host() { return this.#parts.host + (this.#parts.port ? ":" + this.#parts.port : ""); }
        get origin() { return this.#parts.protocol in ports ? this.protocol + "//" + this.host : "null"; }
        get pathname() { return this.#parts.path; }
        get search() { return this.#parts.query; }
        get hash() { return this.#parts.fragment; }
        get searchParams() { return this.#search; }
        set pathname(value) { this.#set((parts) => { parts.path = String(value).replace(/[?#]/g, encodeURIComponent); }); }
        set hash(value) { this.#set((parts) => { parts.fragment = value ? "#" + String(value).replace(/^#/, "") : ""; }); }
        set search(value) {
            this.#set((parts) => { parts.query = value ? "?" + String(value).replace(/^\?/, "") : ""; });
            this.#search = new URLSearchParams(this.#parts.query, (list) => {
                this.#parts.query = list.size ? "?" + list : "";
            });
        }
        set host(value) { this.#set((parts) => { [parts.host, parts.port] = String(value).split(":"); parts.port = parts.port || ""; }); }
        set hostname(value) { this.#set((parts) => { parts.host = String(value); }); }
        set port(value) { this.#set((parts) => { parts.port = String(value); }); }
        set protocol(value) { this.#set((parts) => { parts.protocol = String(value).replace(/:?$/, ":"); }); }
        toString() { return this.href; }
        toJSON() { return this.href; }
    }
    return {URL: URL, URLSearchParams: URLSearchParams, parsed: parsed, resolved: resolved};
})
