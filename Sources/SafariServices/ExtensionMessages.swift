// ExtensionMessages: the keys under which Safari and its web extensions exchange messages.

/// In the `userInfo` of an item: the message of the web extension's script, and the answer to it.
public let SFExtensionMessageKey = "message"

/// In the `userInfo` of an item: the identifier of the profile that the script runs in.
public let SFExtensionProfileKey = "profile"
