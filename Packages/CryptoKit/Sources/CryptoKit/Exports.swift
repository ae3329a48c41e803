// Exports: swift-crypto, which has CryptoKit's interface. There is no Secure Enclave.

@_exported import Crypto
