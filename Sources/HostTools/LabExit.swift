/// The exit codes of `socketlab`, stable: what it ends with, and what a program that started it reads.
///
/// `subjectNotDriven` is also the code of a command that could not write what it was to write: reports, a file, or
/// standard output when all else was as expected.
package enum LabExit: Int32 {
  case asExpected = 0
  case deviation = 1
  case usage = 2
  case badScenario = 3
  case subjectNotDriven = 4
  case nothingRan = 5
}
