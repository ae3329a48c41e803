// The time and the chance that scripts see, the same for every engine: both are values of the page.
(function (milliseconds) {
    "use strict";
    var Clock = Date, construct = Reflect.construct, seed = 0x2545f491;
    var Frozen = function Date() {
        if (new.target === undefined) return new Clock(milliseconds).toString();
        return construct(Clock, arguments.length === 0 ? [milliseconds] : arguments, new.target);
    };
    Object.defineProperty(Frozen, "length", {value: 7});
    Frozen.prototype = Clock.prototype;
    Frozen.UTC = Clock.UTC;
    Frozen.parse = Clock.parse;
    Frozen.now = function now() { return milliseconds; };
    Object.defineProperty(Clock.prototype, "constructor", {value: Frozen, writable: true, configurable: true});
    Object.defineProperty(globalThis, "Date", {value: Frozen, writable: true, configurable: true});
    if (globalThis.performance) {
        Object.defineProperty(globalThis.performance, "now", {value: function now() { return 0; }, configurable: true});
    }
    Math.random = function random() {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        return (seed >>> 0) / 4294967296;
    };
})
