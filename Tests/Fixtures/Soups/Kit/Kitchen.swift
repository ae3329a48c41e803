// Kitchen: what the shop has, without an import: the umbrella header imports Foundation.

public enum Kitchen {
    public static func minutes(for name: String) -> Int { name.trimmingCharacters(in: .whitespaces).count }
}
