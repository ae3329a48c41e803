// swift-tools-version: 6.0
// Combine under Apple's name: a package of its own, so that only who imports it fetches and builds OpenCombine.

import PackageDescription

let package = Package(
    name: "Combine",
    products: [.library(name: "Combine", targets: ["Combine"])],
    dependencies: [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")],
    targets: [
        .target(
            name: "Combine",
            dependencies: [
                "OpenCombine",
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ])
    ])
