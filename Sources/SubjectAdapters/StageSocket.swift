import CocoaAsyncSocket
import Foundation
import ScenarioModel

/// What the two classes have in common, by the same names: operations are made from a scenario's commands once.
protocol StageSocket {
  func readData(
    withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, maxLength length: UInt,
    tag: Int)
  func readData(
    toLength length: UInt, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    tag: Int)
  func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    maxLength length: UInt, tag: Int)
  func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int)
  func disconnect()
  func disconnectAfterReading()
  func disconnectAfterWriting()
  func disconnectAfterReadingAndWriting()
}

extension GCDAsyncSocket: StageSocket {}
extension AsyncSocket: StageSocket {}

extension SubjectStage {
  /// Makes the call of a command that both classes have.
  func operate(_ socket: some StageSocket, _ command: SubjectCommand) {
    switch command {
    case .read(let command): read(socket, command)
    case .write(let write):
      socket.write(Data(write.payload.materialised), withTimeout: write.timeout.seconds, tag: write.tag)
    case .disconnect: socket.disconnect()
    case .disconnectAfterReading: socket.disconnectAfterReading()
    case .disconnectAfterWriting: socket.disconnectAfterWriting()
    case .disconnectAfterReadingAndWriting: socket.disconnectAfterReadingAndWriting()
    default: preconditionFailure("\(command.name) is not of both classes")
    }
  }

  private func read(_ socket: some StageSocket, _ command: ReadCommand) {
    let memory = command.buffer.flatMap { buffer in buffer.size.map { self.memory(for: buffer, size: $0).data } }
    let offset = UInt(max(command.buffer?.offset ?? 0, 0))
    let timeout = command.timeout.seconds
    switch command.boundary {
    case .available(let limit):
      socket.readData(
        withTimeout: timeout, buffer: memory, bufferOffset: offset, maxLength: UInt(max(limit, 0)), tag: command.tag)
    case .exactly(let length):
      socket.readData(
        toLength: UInt(max(length, 0)), withTimeout: timeout, buffer: memory, bufferOffset: offset, tag: command.tag)
    case .through(let delimiter, let limit):
      socket.readData(
        to: Data(delimiter.materialised), withTimeout: timeout, buffer: memory, bufferOffset: offset,
        maxLength: UInt(max(limit, 0)), tag: command.tag)
    }
  }
}
