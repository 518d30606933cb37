import Dispatch

// Queues are objects on Apple's systems, where `==` compares them. On Linux they are not even `Equatable`, and a
// library must not make them so: a program may have done it. Its own comparison comes before these, optionals included,
// because they are disfavoured, and generic: Swift tries operators without type parameters first, and stops there.

/// Whether both are the same queue, or both nil: `socket.delegateQueue == queue`.
@_disfavoredOverload
public func == <Queue: DispatchQueue>(one: Queue?, other: Queue?) -> Bool { one === other }

/// Whether the two are different queues, or only one is nil.
@_disfavoredOverload
public func != <Queue: DispatchQueue>(one: Queue?, other: Queue?) -> Bool { one !== other }
