// DeepStack: room for what goes as deep into a predicate as its conditions stand within each other.

import Glibc

enum DeepStack {
    /// Conditions within each other for which every stack has room. Predicates that are shipped have a dozen.
    private static let shallow = 50
    /// Of the thread for others: ten kilobytes for each of `PredicateBounds.conditions`, three times what a debug build takes.
    private static let bytes = 16 << 20

    private final class Work {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Runs `body` once, before this returns: for a deep tree on a thread with a stack of its own, whose making takes some
    /// 50 µs.
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
            // Without a thread on this one, whose stack is as large as its maker thought right.
            return value ?? body()
        }
    }
}
