// The globals of a page for the engine jsc: domino's DOM, and what pages have beside it. No page script runs, nothing is
// loaded and nothing is drawn; docs/not-simulated.md lists the rest.
//
// `modules` are domino's files as functions, `addresses` the types of address.js. Returns the functions that the engine calls.
(function (modules, addresses, html, address, width, height, milliseconds) {
    "use strict";
    var global = globalThis;
    var queue = [], timers = [], lastTimer = 0, passed = 0, failedLoads = 0;
    var define = Object.defineProperty;
    var shiftQueue = Function.prototype.call.bind(Array.prototype.shift);
    var pushQueue = Function.prototype.call.bind(Array.prototype.push);
    var apply = Reflect.apply;
    // The engine's own lists have no prototype, so that a script cannot reach them by setters of Array.prototype.
    Object.setPrototypeOf(queue, null);
    Object.setPrototypeOf(timers, null);

    function set(object, name, value) { define(object, name, {value: value, writable: true, configurable: true}); }
    function nothing() { }
    function get(object, name, getter, setter) {
        define(object, name, {get: getter, set: setter || nothing, configurable: true, enumerable: true});
    }

    // The console
    var console = {};
    ["log", "info", "warn", "error", "debug", "trace", "assert", "dir", "table", "group", "groupEnd", "time", "timeEnd",
        "count"].forEach(function (name) { set(console, name, nothing); });
    set(global, "console", console);

    // Timers run in the order of their times. The clock stands still, so none waits; the sum of the waits is bounded.
    function addTimer(body, delay, values, repeats) {
        var wait = Math.min(Math.max(Number(delay) || 0, repeats ? 4 : 0), 2147483647);
        lastTimer += 1;
        insert({id: lastTimer, due: passed + wait, wait: wait, body: body, values: values, repeats: repeats});
        return lastTimer;
    }
    function insert(timer) {
        var place = timers.length;
        while (place > 0 && timers[place - 1].due > timer.due) {
            define(timers, place, {value: timers[place - 1], writable: true, configurable: true, enumerable: true});
            place -= 1;
        }
        define(timers, place, {value: timer, writable: true, configurable: true, enumerable: true});
    }
    function removeTimer(id) {
        for (var i = 0; i < timers.length; i += 1) {
            if (timers[i].id !== id) continue;
            for (; i + 1 < timers.length; i += 1) timers[i] = timers[i + 1];
            timers.length -= 1;
        }
    }
    set(global, "setTimeout", function setTimeout(body, delay, ...values) { return addTimer(body, delay, values, false); });
    set(global, "setInterval", function setInterval(body, delay, ...values) { return addTimer(body, delay, values, true); });
    set(global, "setImmediate", function setImmediate(body, ...values) { return addTimer(body, 0, values, false); });
    set(global, "requestAnimationFrame", function (body) { return addTimer(body, 16, [0], false); });
    set(global, "requestIdleCallback", function (body) {
        return addTimer(body, 1, [{didTimeout: false, timeRemaining: function () { return 0; }}], false);
    });
    ["clearTimeout", "clearInterval", "clearImmediate", "cancelAnimationFrame", "cancelIdleCallback"].forEach(
        function (name) { set(global, name, removeTimer); });
    set(global, "queueMicrotask", function queueMicrotask(body) { Promise.resolve().then(body); });
    set(global, "exthostPost", function exthostPost(value) { if (typeof value === "string") pushQueue(queue, value); });

    // The address types of address.js.
    var resolved = addresses.resolved, parsed = addresses.parsed, URL = addresses.URL;
    set(global, "URL", URL);
    set(global, "URLSearchParams", addresses.URLSearchParams);

    // domino
    var loaded = Object.create(null);
    function require(name) {
        var short = name.replace(/^\.\//, "").replace(/\.js$/, "");
        if (loaded[short]) return loaded[short].exports;
        var module = loaded[short] = {exports: {}};
        modules[short].call(module.exports, module.exports, require, module, global);
        return module.exports;
    }
    // domino's members cannot be replaced; those of browsers can.
    var create = Object.create;
    Object.create = function (prototype, members) {
        if (members === undefined) return create(prototype);
        for (var key of Reflect.ownKeys(members)) members[key].configurable = true;
        return create(prototype, members);
    };
    var domino = require("./index"), impl = domino.impl;
    Object.create = create;
    address = resolved(address, "about:blank");
    var document = domino.createDocument(html, true);
    document._address = address;
    var pageWindow = new impl.Window(document);

    function base(node) {
        var owner = node.nodeType === 9 ? node : node.ownerDocument;
        var found = owner.querySelector("base[href]");
        return found ? resolved(found.getAttribute("href"), address) : address;
    }
    get(impl.Node.prototype, "baseURI", function () { return base(this); });
    get(impl.Document.prototype, "documentURI", function () { return address; });
    get(impl.Document.prototype, "cookie", function () { return ""; });
    get(impl.Document.prototype, "domain", function () { return (parsed(address, null) || {host: ""}).host; });
    get(impl.Document.prototype, "referrer", function () { return ""; });
    get(impl.Document.prototype, "lastModified", function () {
        return new Date(milliseconds).toISOString().replace(/^(\d+)-(\d+)-(\d+)T([\d:]+).*/, "$2/$3/$1 $4");
    });
    get(impl.Document.prototype, "characterSet", function () { return "UTF-8"; });
    get(impl.Document.prototype, "charset", function () { return "UTF-8"; });
    get(impl.Document.prototype, "hidden", function () { return false; });
    get(impl.Document.prototype, "visibilityState", function () { return "visible"; });
    get(impl.Document.prototype, "activeElement", function () { return this.body; });
    get(impl.Document.prototype, "scrollingElement", function () { return this.documentElement; });
    get(impl.Document.prototype, "currentScript", function () { return null; });
    if (!("URL" in impl.Document.prototype)) get(impl.Document.prototype, "URL", function () { return address; });
    [["images", "img"], ["forms", "form"], ["scripts", "script"], ["embeds", "embed"], ["plugins", "embed"]].forEach(
        function (pair) {
            get(impl.Document.prototype, pair[0], function () { return this.getElementsByTagName(pair[1]); });
        });
    // Lists as browsers have them: those of selectors stay as they are, and all can be iterated.
    var NodeList = require("./NodeList"), array = Array.prototype, some = document.createElement("p");
    [impl.Document, impl.DocumentFragment, impl.Element].forEach(function (type) {
        var select = type.prototype.querySelectorAll;
        set(type.prototype, "querySelectorAll", function querySelectorAll(selector) {
            return new NodeList(array.slice.call(select.call(this, selector)));
        });
    });
    [document.getElementsByTagName("p"), some.children, some.classList].forEach(function (list) {
        set(Object.getPrototypeOf(list), Symbol.iterator, array[Symbol.iterator]);
    });
    ["forEach", "entries", "keys", "values"].forEach(function (name) {
        set(Object.getPrototypeOf(some.classList), name, array[name]);
    });
    get(impl.Document.prototype, "links", function () { return this.querySelectorAll("a[href], area[href]"); });
    get(impl.Document.prototype, "anchors", function () { return this.querySelectorAll("a[name]"); });
    set(impl.Document.prototype, "hasFocus", function () { return true; });
    set(impl.Document.prototype, "execCommand", function () { return false; });
    set(impl.Document.prototype, "elementFromPoint", function () { return null; });
    set(impl.Document.prototype, "evaluate", function () { throw new impl.DOMException(9); });
    ["write", "writeln", "open", "close"].forEach(function (name) { set(impl.Document.prototype, name, nothing); });

    // Links resolve against the base of the document.
    [["HTMLAnchorElement", "href"], ["HTMLAreaElement", "href"], ["HTMLLinkElement", "href"], ["HTMLBaseElement", "href"],
        ["HTMLImageElement", "src"], ["HTMLScriptElement", "src"], ["HTMLIFrameElement", "src"], ["HTMLFormElement", "action"],
        ["HTMLVideoElement", "src"], ["HTMLAudioElement", "src"], ["HTMLSourceElement", "src"], ["HTMLVideoElement", "poster"],
        ["HTMLEmbedElement", "src"]].forEach(function (pair) {
        var type = impl[pair[0]];
        if (!type) return;
        get(type.prototype, pair[1], function () {
            var value = this.getAttribute(pair[1]);
            return value === null ? "" : resolved(value, pair[0] === "HTMLBaseElement" ? address : base(this));
        }, function (value) { this.setAttribute(pair[1], value); });
    });
    ["HTMLAnchorElement", "HTMLAreaElement"].forEach(function (name) {
        ["protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"].forEach(function (part) {
            get(impl[name].prototype, part, function () {
                try { return new URL(this.href)[part]; } catch (error) { return ""; }
            });
        });
    });

    // The text as it would be shown, as far as that is known without layout.
    var hidden = {SCRIPT: 1, STYLE: 1, TEMPLATE: 1, NOSCRIPT: 1, HEAD: 1, TITLE: 1, META: 1, LINK: 1, IFRAME: 1};
    var blocks = {ADDRESS: 1, ARTICLE: 1, ASIDE: 1, BLOCKQUOTE: 1, BODY: 1, DD: 1, DIV: 1, DL: 1, DT: 1, FIELDSET: 1,
        FIGCAPTION: 1, FIGURE: 1, FOOTER: 1, FORM: 1, H1: 1, H2: 1, H3: 1, H4: 1, H5: 1, H6: 1, HEADER: 1, HR: 1, HTML: 1,
        LI: 1, MAIN: 1, NAV: 1, OL: 1, P: 2, PRE: 1, SECTION: 1, TABLE: 1, TR: 1, UL: 1};
    function shownText(root) {
        var out = "", breaks = 0, space = false;
        function add(value) {
            if (!value) return;
            if (breaks && out) out += "\n".repeat(breaks); else if (space && out) out += " ";
            breaks = 0;
            space = false;
            out += value;
        }
        function visit(node, isPreformatted) {
            if (node.nodeType === 3) {
                if (isPreformatted) return add(node.data);
                var value = node.data.replace(/[ \t\r\n\f]+/g, " ");
                if (value === " ") { space = true; return; }
                if (value[0] === " ") { space = true; value = value.slice(1); }
                var endsInSpace = value[value.length - 1] === " ";
                add(endsInSpace ? value.slice(0, -1) : value);
                space = endsInSpace;
                return;
            }
            if (node.nodeType !== 1) return;
            var name = node.tagName;
            if (node !== root && (hidden[name] || node.hasAttribute("hidden")
                || /display\s*:\s*none/.test(node.getAttribute("style") || ""))) return;
            if (name === "BR") { out += "\n"; space = false; return; }
            var block = node === root ? 0 : blocks[name] || 0;
            if (block) breaks = Math.max(breaks, block);
            if ((name === "TD" || name === "TH") && node.previousElementSibling && out) { out += "\t"; space = false; }
            for (var child = node.firstChild; child; child = child.nextSibling) {
                visit(child, isPreformatted || name === "PRE" || name === "TEXTAREA");
            }
            if (block) breaks = Math.max(breaks, block);
        }
        visit(root, false);
        return out;
    }
    get(impl.HTMLElement.prototype, "innerText", function () { return shownText(this); }, function (value) {
        this.textContent = "";
        String(value).split("\n").forEach((line, index) => {
            if (index) this.appendChild(this.ownerDocument.createElement("br"));
            if (line) this.appendChild(this.ownerDocument.createTextNode(line));
        });
    });
    get(impl.HTMLElement.prototype, "outerText", function () { return shownText(this); });
    get(impl.HTMLElement.prototype, "isContentEditable", function () { return false; });

    function attribute(key) { return "data-" + String(key).replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase()); }
    function member(name) { return name.slice(5).replace(/-([a-z])/g, (match, letter) => letter.toUpperCase()); }
    get(impl.HTMLElement.prototype, "dataset", function () {
        var element = this;
        function names() {
            return Array.from(element.attributes).map((one) => one.name).filter((name) => /^data-[^A-Z]*$/.test(name));
        }
        return new Proxy({}, {
            get(target, key) {
                if (typeof key === "symbol") return undefined;
                var value = element.getAttribute(attribute(key));
                return value === null ? undefined : value;
            },
            set(target, key, value) { element.setAttribute(attribute(key), value); return true; },
            has(target, key) { return typeof key !== "symbol" && element.hasAttribute(attribute(key)); },
            deleteProperty(target, key) { element.removeAttribute(attribute(key)); return true; },
            ownKeys() { return names().map(member); },
            getOwnPropertyDescriptor(target, key) {
                if (typeof key === "symbol" || !element.hasAttribute(attribute(key))) return undefined;
                return {value: element.getAttribute(attribute(key)), writable: true, enumerable: true, configurable: true};
            }
        });
    });

    // Without layout, elements have no size.
    ["offsetWidth", "offsetHeight", "offsetTop", "offsetLeft", "clientWidth", "clientHeight", "clientTop", "clientLeft",
        "scrollWidth", "scrollHeight", "scrollTop", "scrollLeft"].forEach(function (name) {
        get(impl.Element.prototype, name, function () { return 0; });
    });
    get(impl.HTMLElement.prototype, "offsetParent", function () { return null; });
    function noSize() { return {x: 0, y: 0, width: 0, height: 0, top: 0, left: 0, right: 0, bottom: 0}; }
    set(impl.Element.prototype, "getBoundingClientRect", noSize);
    set(impl.Element.prototype, "getClientRects", function () { return []; });
    ["scrollIntoView", "scrollTo", "scrollBy", "focus", "blur"].forEach(function (name) {
        set(impl.Element.prototype, name, nothing);
        if (name in impl.HTMLElement.prototype) set(impl.HTMLElement.prototype, name, nothing);
    });
    var emptySelection = {anchorNode: null, focusNode: null, anchorOffset: 0, focusOffset: 0, isCollapsed: true,
        rangeCount: 0, type: "None", toString: function () { return ""; },
        getRangeAt: function () { throw new impl.DOMException(1); }};
    ["removeAllRanges", "addRange", "empty", "collapse", "selectAllChildren", "removeRange"].forEach(function (name) {
        set(emptySelection, name, nothing);
    });
    function selection() { return emptySelection; }
    set(impl.Document.prototype, "getSelection", selection);

    // Loads fail.
    function failed() { failedLoads += 1; }
    set(global, "fetch", function fetch() {
        failed();
        return Promise.reject(new TypeError("Load failed: a page of the simulator has no network"));
    });
    function element(kind) {
        // The load begins when the element gets its address, and fails.
        var type = impl[kind[0]];
        if (!type) return;
        var setAttribute = impl.Element.prototype.setAttribute;
        set(type.prototype, "setAttribute", function (name, value) {
            apply(setAttribute, this, [name, value]);
            if (String(name).toLowerCase() !== kind[1]) return;
            failed();
            addTimer(() => { this.dispatchEvent(new impl.Event("error")); }, 0, [], false);
        });
    }
    [["HTMLImageElement", "src"], ["HTMLScriptElement", "src"], ["HTMLIFrameElement", "src"]].forEach(element);
    function Request() {
        this.readyState = 0;
        this.status = 0;
        this.statusText = this.responseText = this.response = this.responseURL = "";
        this.responseXML = null;
        this.listeners = Object.create(null);
    }
    Request.prototype = {
        constructor: Request,
        open: function () { this.readyState = 1; },
        send: function () {
            failed();
            addTimer(() => {
                this.readyState = 4;
                ["readystatechange", "error", "loadend"].forEach((name) => this.dispatchEvent({type: name, target: this}));
            }, 0, [], false);
        },
        addEventListener: function (name, body) { (this.listeners[name] = this.listeners[name] || []).push(body); },
        removeEventListener: function (name, body) {
            this.listeners[name] = (this.listeners[name] || []).filter((other) => other !== body);
        },
        dispatchEvent: function (event) {
            var bodies = (this.listeners[event.type] || []).slice();
            if (typeof this["on" + event.type] === "function") bodies.push(this["on" + event.type]);
            bodies.forEach((body) => body.call(this, event));
        },
        setRequestHeader: nothing, abort: nothing, overrideMimeType: nothing,
        getResponseHeader: function () { return null; }, getAllResponseHeaders: function () { return ""; }
    };
    set(global, "XMLHttpRequest", Request);
    ["WebSocket", "EventSource", "Worker", "SharedWorker"].forEach(function (name) {
        set(global, name, function () {
            failed();
            throw new impl.DOMException(18);
        });
    });

    // What asks a person, or would leave the page, does nothing.
    set(global, "alert", nothing);
    set(global, "confirm", function () { return false; });
    set(global, "prompt", function () { return null; });
    set(global, "open", function () { failed(); return null; });
    ["close", "print", "stop", "scroll", "scrollTo", "scrollBy", "focus", "blur", "postMessage", "moveTo", "resizeTo"].forEach(
        function (name) { set(global, name, nothing); });
    var place = Object.create(null), here = parsed(address, null) ? new URL(address) : null;
    ["href", "protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"].forEach(function (part) {
        get(place, part, function () { return here ? here[part] : part === "href" ? address : ""; }, failed);
    });
    ["assign", "replace", "reload"].forEach(function (name) { set(place, name, failed); });
    set(place, "toString", function () { return place.href; });
    set(place, "ancestorOrigins", []);
    get(global, "location", function () { return place; }, failed);
    get(impl.Document.prototype, "location", function () { return place; }, failed);
    ["HTMLFormElement"].forEach(function (name) {
        set(impl[name].prototype, "submit", failed);
        set(impl[name].prototype, "requestSubmit", failed);
    });
    // No frame has a document.
    get(impl.HTMLIFrameElement.prototype, "contentWindow", function () { return null; });
    get(impl.HTMLIFrameElement.prototype, "contentDocument", function () { return null; });

    // The window
    Object.getOwnPropertyNames(impl).forEach(function (name) {
        if (/^[A-Z]/.test(name) && !(name in global)) set(global, name, impl[name]);
    });
    set(global, "document", document);
    set(document, "defaultView", global);
    ["window", "self", "frames", "parent", "top"].forEach(function (name) { set(global, name, global); });
    ["addEventListener", "removeEventListener", "dispatchEvent"].forEach(function (name) {
        set(global, name, function () { return apply(pageWindow[name], pageWindow, arguments); });
    });
    set(global, "frameElement", null);
    set(global, "opener", null);
    set(global, "length", 0);
    set(global, "closed", false);
    set(global, "name", "");
    set(global, "origin", here ? here.origin : "null");
    set(global, "isSecureContext", /^https:/.test(address));
    set(global, "devicePixelRatio", 1);
    [["innerWidth", width], ["innerHeight", height], ["outerWidth", width], ["outerHeight", height], ["scrollX", 0],
        ["scrollY", 0], ["pageXOffset", 0], ["pageYOffset", 0], ["screenX", 0], ["screenY", 0]].forEach(function (pair) {
        set(global, pair[0], pair[1]);
    });
    set(global, "screen", {width: width, height: height, availWidth: width, availHeight: height, colorDepth: 24,
        pixelDepth: 24});
    set(global, "navigator", {userAgent: "Mozilla/5.0 (exthost; jsc)", appName: "Netscape", appVersion: "5.0",
        platform: "", vendor: "", product: "Gecko", language: "en-US", languages: ["en-US"], onLine: false,
        cookieEnabled: false, hardwareConcurrency: 1, maxTouchPoints: 0, sendBeacon: function () { failed(); return false; }});
    set(global, "history", {length: 1, state: null, back: nothing, forward: nothing, go: nothing, pushState: nothing,
        replaceState: nothing});
    set(global, "performance", {now: function () { return 0; }, timeOrigin: milliseconds, mark: nothing, measure: nothing});
    set(global, "getSelection", selection);
    set(global, "getComputedStyle", function getComputedStyle(element) { return element.style; });
    set(global, "matchMedia", function (query) {
        return {matches: false, media: String(query), addListener: nothing, removeListener: nothing,
            addEventListener: nothing, removeEventListener: nothing};
    });
    class Storage {
        #values = new Map();
        getItem(key) { return this.#values.has(String(key)) ? this.#values.get(String(key)) : null; }
        setItem(key, value) { this.#values.set(String(key), String(value)); }
        removeItem(key) { this.#values.delete(String(key)); }
        clear() { this.#values.clear(); }
        key(index) { return Array.from(this.#values.keys())[index] ?? null; }
        get length() { return this.#values.size; }
    }
    set(global, "Storage", Storage);
    set(global, "localStorage", new Storage());
    set(global, "sessionStorage", new Storage());
    set(global, "XMLSerializer", class XMLSerializer {
        serializeToString(node) { return node.outerHTML === undefined ? node.textContent : node.outerHTML; }
    });
    set(global, "DOMParser", class DOMParser {
        parseFromString(written) { return domino.createDocument(String(written), true); }
    });
    ["MutationObserver", "IntersectionObserver", "ResizeObserver", "PerformanceObserver"].forEach(function (name) {
        set(global, name, class { observe() { } disconnect() { } unobserve() { } takeRecords() { return []; } });
    });
    set(global, "Image", function Image() { return document.createElement("img"); });
    var letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    set(global, "btoa", function btoa(value) {
        var bytes = String(value), out = "";
        for (var i = 0; i < bytes.length; i += 3) {
            var codes = [0, 1, 2].map((step) => bytes.charCodeAt(i + step));
            if (codes.some((code) => code > 255)) throw new impl.DOMException(5);
            var bits = codes[0] << 16 | (codes[1] || 0) << 8 | (codes[2] || 0);
            out += letters[bits >> 18] + letters[bits >> 12 & 63]
                + (i + 1 < bytes.length ? letters[bits >> 6 & 63] : "=") + (i + 2 < bytes.length ? letters[bits & 63] : "=");
        }
        return out;
    });
    set(global, "atob", function atob(value) {
        var clean = String(value).replace(/[ \t\n\f\r]/g, "").replace(/={1,2}$/, ""), bits = 0, count = 0, out = "";
        if (clean.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(clean)) throw new impl.DOMException(5);
        for (var letter of clean) {
            bits = bits << 6 | letters.indexOf(letter);
            count += 6;
            if (count >= 8) { count -= 8; out += String.fromCharCode(bits >> count & 255); bits &= (1 << count) - 1; }
        }
        return out;
    });
    set(document, "readyState", "complete");

    // What counts as a load of the page: what browsers would have fetched.
    failedLoads += document.querySelectorAll(
        "script[src], img[src], iframe[src], link[rel~=stylesheet][href], video[src], audio[src], embed[src]").length;

    return {
        message: function () { return queue.length ? shiftQueue(queue) : undefined; },
        // Runs the next timer whose time is at most `limit` milliseconds after the load; whether there was one.
        step: function (limit) {
            if (!timers.length || timers[0].due > limit) return false;
            var timer = timers[0];
            removeTimer(timer.id);
            passed = Math.max(passed, timer.due);
            if (timer.repeats) {
                timer.due = passed + timer.wait;
                insert(timer);
            }
            if (typeof timer.body === "function") apply(timer.body, global, timer.values);
            else (0, eval)(String(timer.body));
            return true;
        },
        passed: function () { return passed; },
        html: function () {
            var type = document.doctype ? "<!DOCTYPE " + document.doctype.name + ">\n" : "";
            return type + (document.documentElement ? document.documentElement.outerHTML : "");
        },
        failedLoads: function () { return failedLoads; }
    };
})
