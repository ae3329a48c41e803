// BrowserScripts: scripts and checks of the engines that have a whole browser in them.

internal import PageMessages

/// The scripts that `WPEEngine` and `ChromiumEngine` give each page.
enum BrowserScripts {
    /// Returns a script that makes time, and all randomness, the same in each run. It runs in each frame before the
    /// scripts of the page.
    ///
    /// - Parameter clock: the time in milliseconds since 1970.
    static func frozenClock(at clock: Double) -> String {
        // 8.64e15 is the last time that JavaScript has (ECMA-262, 21.4.1.1).
        let now = clock.isFinite ? Int64(max(-8.64e15, min(8.64e15, clock))) : 0
        return "(\(frozenClock))(\(now))"
    }

    /// The document as HTML, as a value of JavaScript.
    static let html = """
        (document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\\n" : "")
            + (document.documentElement ? document.documentElement.outerHTML : "")
        """

    /// The seed of `Math.random` is arbitrary; the generator is Mulberry32.
    private static let frozenClock = #"""
        function (now) {
            "use strict";
            const RealDate = Date, fixed = (object, name, value) => {
                if (object) Object.defineProperty(object, name, { value, writable: true, configurable: true });
            }, computed = (object, name, get) => {
                if (object) Object.defineProperty(object, name, { get, configurable: true, enumerable: true });
            };
            const FrozenDate = new Proxy(RealDate, {
                apply: () => new RealDate(now).toString(),
                construct: (target, values, made) =>
                    Reflect.construct(target, values.length ? values : [now], made === FrozenDate ? target : made),
            });
            fixed(RealDate, "now", () => now);
            fixed(RealDate.prototype, "constructor", FrozenDate);
            fixed(globalThis, "Date", FrozenDate);
            let seed = 0x65787468;
            const random = () => {
                seed = (seed + 0x6d2b79f5) | 0;
                let value = Math.imul(seed ^ (seed >>> 15), seed | 1);
                value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
                return (value ^ (value >>> 14)) >>> 0;
            };
            fixed(Math, "random", () => random() / 4294967296);
            if (globalThis.Crypto) {
                const fill = array => {
                    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
                    for (let index = 0; index < bytes.length; index++) bytes[index] = random();
                    return array;
                };
                fixed(Crypto.prototype, "getRandomValues", fill);
                fixed(Crypto.prototype, "randomUUID", () => {
                    const bytes = fill(new Uint8Array(16));
                    bytes[6] = bytes[6] & 15 | 64;
                    bytes[8] = bytes[8] & 63 | 128;
                    const text = Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
                    return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
                });
            }
            if (globalThis.Performance) {
                fixed(Performance.prototype, "now", () => 0);
                computed(Performance.prototype, "timeOrigin", () => now);
                computed(Performance.prototype, "timing", () => new Proxy({}, { get: () => now }));
                for (const name of ["getEntries", "getEntriesByType", "getEntriesByName"])
                    fixed(Performance.prototype, name, () => []);
            }
            computed(globalThis.Event && Event.prototype, "timeStamp", () => 0);
            const modified = new RealDate(now), two = number => String(number).padStart(2, "0");
            const text = `${two(modified.getMonth() + 1)}/${two(modified.getDate())}/${modified.getFullYear()} `
                + [modified.getHours(), modified.getMinutes(), modified.getSeconds()].map(two).join(":");
            computed(globalThis.Document && Document.prototype, "lastModified", () => text);
            if (globalThis.requestAnimationFrame) {
                const request = requestAnimationFrame;
                fixed(globalThis, "requestAnimationFrame", callback =>
                    request.call(globalThis, typeof callback == "function" ? () => callback(0) : callback));
            }
        }
        """#

    /// The scheme is HTTP's: a page of another one has rights over files or over the browser.
    static func check(_ source: PageSource) throws(PageFault) {
        let url = source.url.lowercased()
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw .engine("the URL of a page begins with http:// or https://, and this one is \(source.url)")
        }
        guard 1...16_384 ~= source.width, 1...16_384 ~= source.height else {
            throw .engine("a viewport of \(source.width)×\(source.height) is not between 1 and 16384 pixels")
        }
    }

    /// Returns the time that is left, rounded up, at most some days; 0 if it is over.
    static func milliseconds(until deadline: ContinuousClock.Instant) -> Int64 {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        guard left < .seconds(1_000_000) else { return 1_000_000_000 }
        let (seconds, attoseconds) = left.components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    /// Returns the script with its name for the engine's errors, which the engine gets as a URL.
    static func named(_ script: PageScript) -> String { "\(script.text)\n//# sourceURL=\(encoded(script.name))" }

    static func encoded(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return text
    }
}
