// GrowingBuffer: a list of plain values that grows by doubling, for the writer's notes.

/// A growing array, without `Array`'s check for shared storage at every change.
struct GrowingBuffer<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { base.deallocate() }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count)
            return base[index]
        }
        set {
            precondition(index >= 0 && index < count)
            base[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow(toHold: count + 1) }
        (base + count).initialize(to: element)
        count += 1
    }

    /// Makes room for `more` elements that the caller fills; they count from now on.
    @inline(__always)
    mutating func extend(by more: Int) -> UnsafeMutablePointer<Element> {
        if more > capacity - count { grow(toHold: count + more) }
        count += more
        return base + (count - more)
    }

    mutating func removeLast(_ fewer: Int) {
        precondition(fewer <= count)
        count -= fewer
    }

    @inline(__always)
    func pointer(at index: Int) -> UnsafeMutablePointer<Element> {
        precondition(index >= 0 && index <= count)
        return base + index
    }

    @inline(never)
    private mutating func grow(toHold needed: Int) {
        let wider = max(needed, 2 * capacity)
        let next = UnsafeMutablePointer<Element>.allocate(capacity: wider)
        next.moveInitialize(from: base, count: count)
        base.deallocate()
        base = next
        capacity = wider
    }
}
