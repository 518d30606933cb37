/// Ends the program because the code around the library has broken a rule that no error can report.
///
/// The message is printed in every build. A `precondition` leaves its own out of an optimised one, and the author of
/// the mistake would learn only that the program has ended.
package func misuse(_ message: String) -> Never { fatalError(message) }
