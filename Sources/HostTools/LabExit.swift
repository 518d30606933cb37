/// The exit codes of `socketlab`, stable: what it ends with, and what a program that started it reads.
package enum LabExit: Int32 {
  case asExpected = 0
  case deviation = 1
  case usage = 2
  case badScenario = 3
  case subjectNotDriven = 4
  case nothingRan = 5
}
