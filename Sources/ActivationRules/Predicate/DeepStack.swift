// DeepStack: the stack for code that recurses as deeply as a predicate's conditions are nested.

import Glibc

enum DeepStack {
    /// The nesting depth for which every stack has room. Shipped predicates have a dozen.
    private static let shallow = 50
    /// The size of the thread's stack: 10 KiB for each of `PredicateBounds.conditions`, three times the need of a debug
    /// build.
    private static let bytes = 16 << 20

    private final class Work {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Runs `body` once, before this returns.
    ///
    /// For a deep tree it runs on a thread with its own stack, whose creation takes some 50 µs.
    static func run<Value>(_ tree: PredicateTree, _ body: () -> Value) -> Value {
        guard tree.height > shallow else { return body() }
        return withoutActuallyEscaping(body) { body in
            var value: Value?
            let work = Work { value = body() }
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            pthread_attr_setstacksize(&attributes, bytes)
            defer { pthread_attr_destroy(&attributes) }
            var thread = pthread_t()
            let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue().run() }
                return nil
            }
            withExtendedLifetime(work) {
                if pthread_create(&thread, &attributes, start, Unmanaged.passUnretained(work).toOpaque()) == 0 {
                    pthread_join(thread, nil)
                }
            }
            // If no thread is available, it runs on this one, whose stack is as large as its creator chose.
            return value ?? body()
        }
    }
}
