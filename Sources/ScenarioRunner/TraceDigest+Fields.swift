import ScenarioModel

extension TraceDigest {
  mutating func add(_ action: NetworkAction) {
    let words = action.words(duration: { "\($0)" }, size: { "\($0)" })
    add(words.word)
    add(words.detail)
  }

  mutating func add(_ callback: Callback) {
    switch callback {
    case .didConnect(let host, let port):
      add(1)
      add(host)
      add(port: port)
    case .didConnectToURL(let path):
      add(2)
      add(path)
    case .newSocketQueue: add(3)
    case .didAccept(let child):
      add(4)
      add(child)
    case .didRead(let bytes, let tag):
      add(5)
      add(bytes)
      add(tag)
    case .didReadPartial(let count, let tag):
      add(6)
      add(count)
      add(tag)
    case .didWrite(let tag):
      add(7)
      add(tag)
    case .didWritePartial(let count, let tag):
      add(8)
      add(count)
      add(tag)
    case .shouldTimeoutRead(let tag, let elapsed, let done): addTimeout(9, tag, elapsed, done)
    case .shouldTimeoutWrite(let tag, let elapsed, let done): addTimeout(10, tag, elapsed, done)
    case .didCloseRead: add(11)
    case .didDisconnect(let error):
      add(12)
      add(error)
    case .didSecure: add(13)
    case .didReceiveTrust: add(14)
    case .willConnect: add(15)
    case .willDisconnect(let error):
      add(16)
      add(error)
    case .wantsRunLoop: add(17)
    }
  }

  private mutating func addTimeout(_ kind: Int, _ tag: Int, _ elapsed: Double, _ done: Int) {
    add(kind)
    add(tag)
    add(elapsed)
    add(done)
  }

  mutating func add(_ error: SubjectError?) {
    guard let error else { return add(0) }
    add(error.domain.rawValue)
    add(error.code)
    add(error.message)
    add(error.reason ?? "")
  }

  mutating func add(_ result: CommandResult) {
    switch result {
    case .done: add(1)
    case .refused(let error):
      add(2)
      add(error)
    case .unsupported(let what):
      add(3)
      add(what)
    case .hung: add(4)
    case .returned(let answer): add(answer ? 5 : 6)
    }
  }

  mutating func add(_ value: PropertyValue) {
    switch value {
    case .none: add(1)
    case .flag(let flag):
      add(2)
      add(flag ? 1 : 0)
    case .number(let number):
      add(3)
      add(number)
    case .text(let text):
      add(4)
      add(text)
    case .bytes(let bytes):
      add(5)
      add(bytes)
    case .progress(let tag, let done, let total, let fraction):
      add(6)
      add(tag)
      add(done)
      add(total)
      add(fraction)
    case .names(let names):
      add(7)
      for name in names.sorted() { add(name) }
    }
  }

  mutating func add(_ action: PeerAction) {
    switch action {
    case .accept: add(1)
    case .connect(let socket):
      add(2)
      add(socket)
    case .send(let bytes):
      add(3)
      add(bytes)
    case .sendUrgent(let byte):
      add(4)
      add(UInt64(byte))
    case .finish: add(5)
    case .close: add(6)
    case .reset: add(7)
    case .shutdownRead: add(8)
    case .setReading(.everything): add(9)
    case .setReading(.paused): add(10)
    case .setReading(.atMost(let count)):
      add(11)
      add(count)
    case .stopListening: add(12)
    case .listenAgain: add(13)
    }
  }

  mutating func add(_ observation: PeerObservation) {
    switch observation {
    case .connected: add(1)
    case .connectFailed(let errno): addErrno(2, errno)
    case .sent(let count):
      add(3)
      add(count)
    case .sendFailed(let errno): addErrno(4, errno)
    case .received(let bytes):
      add(5)
      add(bytes)
    case .endOfStream: add(6)
    case .broken(let errno): addErrno(7, errno)
    }
  }

  private mutating func addErrno(_ kind: Int, _ errno: Int32) {
    add(kind)
    add(Int(errno))
  }

  mutating func add(_ command: SubjectCommand) {
    switch command {
    case .connect(let connect):
      add(1)
      add(connect)
    case .listen(let listen):
      add(2)
      add(listen)
    case .read(let read):
      add(3)
      add(read)
    case .write(let write):
      add(4)
      add(write.payload.count)
      add(write.timeout.seconds)
      add(write.tag)
    case .disconnect: add(5)
    case .disconnectAfterReading: add(6)
    case .disconnectAfterWriting: add(7)
    case .disconnectAfterReadingAndWriting: add(8)
    case .startTLS: add(9)
    case .answerTrust(let isTrusted): add(isTrusted ? 29 : 30)
    case .setDelegate(let name):
      add(10)
      add(name ?? "")
    case .setDelegateQueue(let name):
      add(11)
      add(name ?? "")
    case .set(let setting):
      add(12)
      add(setting)
    case .blockDelegateQueue: add(13)
    case .unblockDelegateQueue: add(14)
    case .exhaustDescriptors: add(31)
    case .freeDescriptors: add(32)
    case .perform(let commands):
      add(15)
      add(commands.count)
      for command in commands { add(command) }
    case .release: add(16)
    case .runLoop(let command):
      add(33)
      add(command.call)
    }
  }

  private mutating func add(_ call: RunLoopCommand.Call) {
    add(call.name)
    switch call {
    case .move(let name), .addMode(let name), .removeMode(let name): add(name ?? "")
    case .setModes(let modes): for mode in modes { add(mode) }
    case .enablePrebuffering: break
    case .run(let mode, let duration):
      add(mode)
      add(duration)
    }
  }

  private mutating func add(_ connect: ConnectCommand) {
    add(connect.timeout.seconds)
    add(connect.interface ?? "")
    switch connect.target {
    case .peer(let name):
      add(1)
      add(name)
    case .host(let host, let port):
      add(2)
      add(host)
      add(port)
    case .address(let bytes):
      add(3)
      add(bytes)
    case .path(let path):
      add(4)
      add(path)
    }
  }

  private mutating func add(_ port: PortReference) {
    switch port {
    case .number(let number): add(UInt64(number))
    case .peer(let name), .listener(let name): add(name)
    }
  }

  private mutating func add(_ listen: ListenCommand) {
    switch listen.place {
    case .anywhere(let port):
      add(1)
      add(port)
    case .interface(let name, let port):
      add(2)
      add(name)
      add(port)
    case .path(let path):
      add(3)
      add(path)
    }
  }

  private mutating func add(_ port: ListenCommand.ListenPort) {
    switch port {
    case .free: add(1)
    case .number(let number): add(UInt64(number))
    case .of(let name): add(name)
    }
  }

  private mutating func add(_ read: ReadCommand) {
    add(read.tag)
    add(read.timeout.seconds)
    switch read.boundary {
    case .available(let limit):
      add(1)
      add(limit)
    case .exactly(let count):
      add(2)
      add(count)
    case .through(let delimiter, let limit):
      add(3)
      add(delimiter.count)
      add(limit)
    }
    guard let buffer = read.buffer else { return }
    add(buffer.name)
    add(buffer.size ?? -1)
    add(buffer.offset)
  }

  private mutating func add(_ setting: SubjectSetting) {
    switch setting {
    case .ipv4Enabled(let flag): addSetting(1, flag)
    case .ipv6Enabled(let flag): addSetting(2, flag)
    case .ipv4Preferred(let flag): addSetting(3, flag)
    case .autoDisconnectOnClosedReadStream(let flag): addSetting(4, flag)
    case .alternateAddressDelay(let seconds):
      add(5)
      add(seconds)
    case .notifiesDisconnectBeforeReturning(let flag): addSetting(6, flag)
    case .userData(let text):
      add(7)
      add(text ?? "")
    case .userNumber(let number):
      add(8)
      add(number)
    case .keepAlive(let seconds):
      add(9)
      add(seconds)
    case .userTimeout(let seconds):
      add(10)
      add(seconds)
    case .linger(let seconds):
      add(11)
      add(seconds)
    }
  }

  private mutating func addSetting(_ kind: Int, _ flag: Bool) {
    add(kind)
    add(flag ? 1 : 0)
  }
}
