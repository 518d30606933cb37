/// Whether two runs of bytes are the same, word by word.
///
/// Not memcmp: a libFuzzer binary tells libFuzzer of every call of it, at a cost of several comparisons, and what is
/// compared in a judge's place is nothing that a search could learn from.
package func areSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  var place = 0
  while place &+ 8 <= left.count {
    let word = left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    guard word == right.loadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
    place &+= 8
  }
  while place < left.count {
    guard left[place] == right[place] else { return false }
    place &+= 1
  }
  return true
}
