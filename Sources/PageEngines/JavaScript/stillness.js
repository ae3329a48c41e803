// The time and the chance that scripts see, the same for every engine: both are values of the page. It is evaluated in
// each frame and world before other scripts. The generator is Mulberry32, and its seed is arbitrary.
(function (now) {
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
    // Without a date both tell the engine's own time.
    const apply = Reflect.apply, formats = globalThis.Intl && Intl.DateTimeFormat.prototype;
    if (formats) {
        const format = Object.getOwnPropertyDescriptor(formats, "format").get, parts = formats.formatToParts;
        const given = date => date === undefined ? now : date;
        computed(formats, "format", function () {
            const bound = apply(format, this, []);
            return date => bound(given(date));
        });
        fixed(formats, "formatToParts", function (date) { return apply(parts, this, [given(date)]); });
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
})
