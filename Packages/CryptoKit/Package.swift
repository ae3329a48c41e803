// swift-tools-version: 6.0
// CryptoKit under Apple's name: a package of its own, so that only who imports it fetches and builds swift-crypto.

import PackageDescription

let package = Package(
    name: "CryptoKit",
    products: [.library(name: "CryptoKit", targets: ["CryptoKit"])],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.0")],
    targets: [.target(name: "CryptoKit", dependencies: [.product(name: "Crypto", package: "swift-crypto")])])
