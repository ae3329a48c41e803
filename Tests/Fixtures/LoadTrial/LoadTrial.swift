// LoadTrial: a program that loads what its arguments name, and prints what each loading call says.

import CLinux
import ExtensionFoundation
import Foundation
import FrameworkPreflight
import Glibc
import UIKit

/// Performs the acts that the arguments name, as `ACT=PATH`, in their order, and prints one line for each result.
public func tryToLoad(_ arguments: [String]) {
    for argument in arguments {
        let words = argument.split(separator: "=", maxSplits: 1).map(String.init)
        let path = words.count > 1 ? words[1] : ""
        switch words[0] {
        case "version": version()
        case "dlopen": report("dlopen", open(path))
        case "write": report("write", write(path))
        case "memory": report("memory", memory(path))
        case "call": call(path)
        case "bundle": bundle(path)
        case "functions": functions(path)
        default: print("there is no act \(words[0])")
        }
    }
}

private func report(_ act: String, _ result: String) { print("\(act): \(result)") }

private func version() {
    let kernel = ProcessInfo.processInfo.operatingSystemVersion
    print("system: \(MainActor.assumeIsolated { UIDevice.current.systemVersion })")
    print("kernel: \(kernel.majorVersion).\(kernel.minorVersion)")
}

private func open(_ path: String) -> String {
    guard dlopen(path, RTLD_NOW) == nil else { return "loaded" }
    return dlerror().map { String(cString: $0) } ?? "no reason"
}

/// Copies a library into the program's container, and loads the copy.
private func write(_ path: String) -> String {
    let copy = NSHomeDirectory() + "/copy.so"
    do {
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    } catch {
        return "not written: \(error)"
    }
    return open(copy)
}

/// Copies a library into memory, and loads it by its descriptor's name.
private func memory(_ path: String) -> String {
    guard let bytes = FileManager.default.contents(atPath: path) else { return "not read" }
    let descriptor = exthost_memfd_create("library")
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { return "not written" }
    return open("/proc/self/fd/\(descriptor)")
}

private func call(_ path: String) {
    guard let library = dlopen(path, RTLD_NOW), let stamp = dlsym(library, "postcard_stamp") else {
        return print("call: nothing to call")
    }
    print("call: \(unsafeBitCast(stamp, to: (@convention(c) (Int32) -> Int32).self)(2))")
}

private func bundle(_ path: String) {
    guard let bundle = Bundle(path: path) else { return print("bundle: nil") }
    let name = "PostcardKit.Postcard"
    print("loaded before: \(bundle.isLoaded)")
    print("class before: \(NSClassFromString(name).map { "\($0)" } ?? "nil")")
    report("preflight", said { try bundle.preflight() })
    report("preflightFramework", said(bundle.preflightFramework))
    report("loadAndReturnError", said { try bundle.loadAndReturnError() })
    print("load: \(bundle.load())")
    print("loaded: \(bundle.isLoaded)")
    print("principal: \(bundle.principalClass.map { "\($0)" } ?? "nil")")
    print("named: \(bundle.classNamed(name).map { "\($0)" } ?? "nil")")
    print("class: \(NSClassFromString(name).map { "\($0)" } ?? "nil")")
    let postcard = (NSClassFromString(name) as? any LosslessStringConvertible.Type)?.init("Ada")
    print("object: \(postcard?.description ?? "nil")")
}

private func functions(_ path: String) {
    guard let bundle = Bundle(path: path) else { return print("functions: nil") }
    let stamp = CFBundleGetFunctionPointerForName(bundle, "postcard_stamp")
    let price = stamp.map { unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self)(3) }
    print("function: \(price.map { "\($0)" } ?? "nil")")
    print("missing: \(CFBundleGetFunctionPointerForName(bundle, "postcard_weight") == nil ? "nil" : "found")")
    var table = [UnsafeMutableRawPointer?](repeating: UnsafeMutableRawPointer(bitPattern: 1), count: 2)
    CFBundleGetFunctionPointersForNames(bundle, ["postcard_weight", "postcard_stamp"], &table)
    print("table: \(table[0] == nil ? "nil" : "found") \(table[1] == stamp ? "same" : "other")")
}

private func said(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "ok"
    } catch let error as ExtensionHostError {
        return "\(error.code) \(error.message)"
    } catch {
        let error = error as NSError
        return "\(error.domain) \(error.code) \(error.localizedDescription)"
    }
}
