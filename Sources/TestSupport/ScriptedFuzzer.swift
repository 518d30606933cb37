import Foundation

/// A folder with a fuzzer that plays a part, in place of a built one; removed with the value.
package final class ScriptedFuzzer {
  package enum Play: String, Sendable {
    /// Runs as many inputs as asked for and finds nothing.
    case clean
    /// Ten executions, then a violation.
    case crashing
    /// The same, and what was seen takes more than a line.
    case wordy
    /// The first process finds something, the others nothing.
    case crashingOnce = "crashing-once"
    /// Never ends, ignores interrupts and has a child that does, too.
    case hanging
    /// Begins with its first file, and says and does nothing more until it is interrupted.
    case stuck
    /// Ends when the process that started it is gone, and not before.
    case bound
    /// Something else ends it.
    case killed
    /// An empty main.
    case silent
    /// Ends without saying what it did.
    case withoutStatistics = "without-statistics"
  }

  package let folder: URL

  package init(_ play: Play) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzzer-\(UUID().uuidString)")
    // It also makes the folder of the program.
    try self.play(play)
    try ProgramFile.write(Self.fuzzer, to: folder.appendingPathComponent("bin/fuzz_scanner").path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func play(_ play: Play) throws { try write("bin/play", Data(play.rawValue.utf8)) }

  package func write(_ path: String, _ data: Data) throws {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  package func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
  }

  package func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  /// The fuzzer and its child.
  package func processes() throws -> [pid_t] { try text("pid").split(separator: "\n").compactMap { pid_t($0) } }

  /// What libFuzzer would say, as recorded.
  private static let fuzzer = #"""
    #!/bin/sh
    here=$(dirname "$0")
    play=$(cat "$here/play")
    runs=1000
    prefix=./
    files=
    for argument in "$@"; do
      case "$argument" in
        -artifact_prefix=*) prefix=${argument#*=} ;;
        -runs=*) runs=${argument#*=} ;;
        -*) ;;
        *) [ -f "$argument" ] && files="$files $argument" ;;
      esac
    done

    begin() {
      echo 'INFO: Running with entropic power schedule (0xFF, 100).'
      echo 'INFO: Seed: 1'
      echo 'INFO: Loaded 1 modules   (2587 inline 8-bit counters): 2587 [0x5647643b1a70, 0x5647643b248b),'
    }
    statistics() {
      echo "stat::number_of_executed_units: $1"
      echo 'stat::average_exec_per_sec:     0'
      echo 'stat::new_units_added:          1'
      echo 'stat::slowest_unit_time_sec:    0'
      echo 'stat::peak_rss_mb:              30'
    }
    end() {
      echo "#$runs	DONE   cov: 18 ft: 19 corp: 2/6b lim: 8 exec/s: 0 rss: 41Mb"
      echo "Done $runs runs in 0 second(s)"
    }
    crash() {
      echo 'FuzzHarness/FuzzProcess.swift:54: Fatal error: violation of scanner/leftmost: expected 3, saw 4'
      [ "$play" = wordy ] && echo '  and the second line of it'
      echo '==1== ERROR: libFuzzer: deadly signal'
      echo '    #5 0x55bf0a934021 in $s11FuzzHarness0A7ProcessO4testys5Int32VF /src/FuzzProcess.swift:54:7'
      echo 'SUMMARY: libFuzzer: deadly signal'
    }
    found() {
      printf FUZ >"${prefix}crash-0eb8"
      begin
      echo '#2	INITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 37Mb'
      crash
      echo "artifact_prefix='$prefix'; Test unit written to ${prefix}crash-0eb8"
      echo 'Base64: RlVa'
      statistics 10
      exit 77
    }

    exec 2>&1
    if [ -n "$files" ]; then
      begin
      for file in $files; do
        echo "Running: $file"
        if [ "$play" = stuck ]; then
          echo $$ >"$here/../pid.new"
          mv "$here/../pid.new" "$here/../pid"
          exec sleep 600
        fi
        if [ "$play" = crashing ] || [ "$play" = crashing-once ]; then crash; exit 77; fi
        echo "Executed $file in 0 ms"
      done
      echo '*** NOTE: fuzzing was not performed, you have only'
      exit 0
    fi
    case "$play" in
      crashing | wordy) found ;;
      crashing-once)
        [ -e "$here/../crashed" ] || { : >"$here/../crashed"; found; }
        ;;
      hanging)
        trap '' INT TERM
        sleep 600 &
        begin
        printf '%s\n%s\n' $$ $! >"$here/../pid.new"
        mv "$here/../pid.new" "$here/../pid"
        while :; do sleep 600; done
        ;;
      bound)
        begin
        echo $$ >"$here/../pid.new"
        mv "$here/../pid.new" "$here/../pid"
        cat <&3
        exit 75
        ;;
      killed)
        begin
        kill -9 $$
        ;;
      silent) exit 0 ;;
    esac
    begin
    echo '#2	INITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 37Mb'
    end
    [ "$play" = without-statistics ] || statistics "$runs"
    exit 0
    """#
}
