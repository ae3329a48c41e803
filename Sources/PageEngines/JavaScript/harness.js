// The harness around an extension's script, the same for every engine. It runs before the script and keeps the functions
// that it needs, so that a script that redefines them changes nothing here. Functions that scripts run in, or that call
// them, have names with `exthost` at their begin: PageSession cuts a stack there, as WPE WebKit tells no file.
(function () {
    "use strict";
    var post = globalThis.exthostPost;
    var call = Function.prototype.call;
    var uncurried = function (method) { return call.bind(method); };
    var isArray = Array.isArray, isFinite = Number.isFinite;
    var keysOf = Object.keys, prototypeOf = Object.getPrototypeOf, objectPrototype = Object.prototype;
    var create = Object.create, define = Object.defineProperty, apply = Reflect.apply;
    var quote = JSON.stringify, parse = JSON.parse;
    var timeOf = uncurried(Date.prototype.getTime), codeAt = uncurried(String.prototype.charCodeAt);
    var tagOf = uncurried(Object.prototype.toString), then = uncurried(Promise.prototype.then);
    var execute = uncurried(RegExp.prototype.exec), surrogate = /[\ud800-\udfff]/;
    var place = /\n\s+at (?:[^\n]*\()?([^\s(]+):(\d+):(\d+)/;
    var text = String, DateMaker = Date, PromiseType = Promise;
    // The bounds of PageBounds.swift.
    var mostDepth = 32, mostLength = 16 * 1024 * 1024, mostNodes = 512 * 1024;

    function Refused(words) { this.words = words; }

    function isTime(value) {
        try { timeOf(value); return true; } catch (error) { return false; }
    }

    // Whether a text has half of a surrogate pair, which no property list has.
    function brokenSurrogate(value) {
        // Most texts have no surrogates at all, which the engine finds out fast.
        if (execute(surrogate, value) === null) return false;
        for (var i = 0; i < value.length; i += 1) {
            var code = codeAt(value, i);
            if (code >= 0xd800 && code < 0xdc00) {
                i += 1;
                var next = i < value.length ? codeAt(value, i) : 0;
                if (next < 0xdc00 || next > 0xdfff) return true;
            } else if (code >= 0xdc00 && code <= 0xdfff) {
                return true;
            }
        }
        return false;
    }

    function step(path, key) {
        return typeof key === "number" ? path + "[" + key + "]" : path + "." + key;
    }

    function written(value, path, state) {
        if (value.length > mostLength) throw new Refused("too large: " + path + " is a text of more than 16 MiB");
        if (state.length + value.length > mostLength) throw new Refused("too large: the results have more than 16 MiB");
        if (brokenSurrogate(value)) throw new Refused(path + " is a text with half of a surrogate pair");
        var quoted = quote(value);
        state.length += quoted.length;
        if (state.length > mostLength) throw new Refused("too large: the results have more than 16 MiB");
        return quoted;
    }

    // Writes a value as tagged JSON: texts, numbers and booleans as themselves, ["a", …], ["o", key, value, …] and
    // ["d", milliseconds]. Returns nothing for a value that is left out.
    function exthostEncode(value, path, state) {
        state.nodes += 1;
        if (state.nodes > mostNodes) throw new Refused("too large: the results have more than 524288 values");
        switch (typeof value) {
        case "string": return written(value, path, state);
        case "boolean": return value ? "true" : "false";
        case "number":
            if (!isFinite(value)) throw new Refused(path + " is " + value + ", which no property list has");
            state.length += 24;
            if (value === 0) return "0";
            return text(value);
        case "undefined": case "function": return undefined;
        case "bigint": case "symbol": throw new Refused(path + " is a " + typeof value + ", which no property list has");
        }
        if (value === null) return undefined;
        if (isTime(value)) {
            var time = timeOf(value);
            if (!isFinite(time)) throw new Refused(path + " is a date without a time");
            return "[\"d\"," + time + "]";
        }
        for (var outer = state.stack; outer; outer = outer.next) {
            if (outer.value === value) throw new Refused(path + " contains itself: it is " + outer.path + " again");
        }
        if (state.depth >= mostDepth) throw new Refused(path + " is deeper than 32 levels");
        var list = isArray(value);
        if (!list) {
            // A plain object of another frame has another Object.prototype, which has no prototype itself.
            var parent = prototypeOf(value);
            if (parent !== null && parent !== objectPrototype && prototypeOf(parent) !== null
                || tagOf(value) !== "[object Object]") {
                throw new Refused(path + " is neither a plain object nor an array, a text, a number, a boolean or a date");
            }
        }
        state.depth += 1;
        state.stack = {value: value, path: path, next: state.stack};
        var encoded, joined = list ? "[\"a\"" : "[\"o\"";
        if (list) {
            var length = value.length;
            if (length > mostLength) throw new Refused("too large: " + path + " has " + length + " elements");
            for (var i = 0; i < length; i += 1) {
                encoded = exthostEncode(value[i], step(path, i), state);
                if (encoded !== undefined) joined += "," + encoded;
            }
        } else {
            var keys = keysOf(value);
            for (var k = 0; k < keys.length; k += 1) {
                encoded = exthostEncode(value[keys[k]], step(path, keys[k]), state);
                if (encoded === undefined) continue;
                joined += "," + written(keys[k], "a key of " + path, state) + "," + encoded;
            }
        }
        state.stack = state.stack.next;
        state.depth -= 1;
        state.length += 4;
        return joined + "]";
    }

    // Sets a member, whatever setters its prototype has.
    function set(object, key, value) {
        define(object, key, {value: value, writable: true, enumerable: true, configurable: true, __proto__: null});
    }

    function decode(value) {
        if (!isArray(value)) return value;
        var i;
        if (value[0] === "d") return new DateMaker(value[1]);
        if (value[0] === "a") {
            var list = [];
            for (i = 1; i < value.length; i += 1) set(list, i - 1, decode(value[i]));
            return list;
        }
        var object = {};
        for (i = 1; i < value.length; i += 2) set(object, value[i], decode(value[i + 1]));
        return object;
    }

    // Returns a text for people, cut and without halves of surrogate pairs.
    function textOf(value) {
        try {
            var whole = text(value), out = "";
            for (var i = 0; i < whole.length && i < 4096; i += 1) {
                if (!brokenSurrogate(whole[i])) {
                    out += whole[i];
                } else if (i + 1 < whole.length && !brokenSurrogate(whole[i] + whole[i + 1])) {
                    out += whole[i] + whole[i + 1];
                    i += 1;
                } else {
                    out += "?";
                }
            }
            return out;
        } catch (error) {
            return "an error without a text";
        }
    }

    function number(value) { return typeof value === "number" && isFinite(value) ? value : 0; }

    // Describes a thrown value: its text, file, line, column and stack as far as the engine tells.
    function described(error) {
        var file = "", line = 0, column = 0, stack = "";
        try {
            if (typeof error === "object" && error !== null) {
                file = textOf(error.sourceURL === undefined ? "" : error.sourceURL);
                line = number(error.line);
                column = number(error.column);
                stack = typeof error.stack === "string" ? textOf(error.stack) : "";
                // V8 tells the place in the stack only.
                var found = line === 0 ? execute(place, stack) : null;
                if (found !== null) { file = found[1]; line = +found[2]; column = +found[3]; }
            }
        } catch (other) { }
        return quote(textOf(error)) + "," + quote(file) + "," + line + "," + column + "," + quote(stack);
    }

    // Each message begins with the number of its call, which no script knows.
    function send(number, message) { post("[" + number + "," + message + "]"); }

    function thrown(number, error) {
        var isRefused = false;
        try { isRefused = error instanceof Refused; } catch (other) { }
        if (isRefused) send(number, "\"refused\"," + quote(textOf(error.words)));
        else send(number, "\"thrown\"," + described(error));
    }

    function awaited(value, body, failed) {
        var isPromise = false;
        try { isPromise = value instanceof PromiseType; } catch (error) { }
        if (!isPromise) return body();
        then(value, body, failed);
    }

    var harness = create(null);
    define(harness, "run", {value: function exthostRun(object, number) {
        if (object === null || typeof object !== "object" && typeof object !== "function") {
            return send(number, "\"missing\",\"object\"");
        }
        var run = object.run;
        if (typeof run !== "function") return send(number, "\"missing\",\"run\"");
        var isDone = false;
        var given = {completionFunction: function exthostComplete(results) {
            if (isDone) return;
            isDone = true;
            try {
                if (results === null || typeof results !== "object" || isArray(results) || isTime(results)) {
                    throw new Refused("the results are no object with keys and values, but "
                        + (isArray(results) ? "an array" : results === null ? "null" : typeof results));
                }
                send(number, "\"results\"," + exthostEncode(results, "results", {depth: 0, stack: null, length: 0, nodes: 0}));
            } catch (error) {
                thrown(number, error);
            }
        }};
        // What it passed before counts.
        function failed(error) { if (!isDone) { isDone = true; thrown(number, error); } }
        var value;
        try { value = apply(run, object, [given]); } catch (error) { return failed(error); }
        awaited(value, function () { }, failed);
    }});
    define(harness, "finalize", {value: function exthostFinalize(object, written, number) {
        var finalize = object === null || object === undefined ? undefined : object.finalize;
        if (typeof finalize !== "function") return send(number, "\"missing\",\"finalize\"");
        function failed(error) { thrown(number, error); }
        var value;
        try { value = apply(finalize, object, [decode(parse(written))]); } catch (error) { return failed(error); }
        awaited(value, function () { send(number, "\"finalized\""); }, failed);
    }});
    define(globalThis, "exthostHarness", {value: Object.freeze(harness)});
})();
