import Foundation
import FuzzHarness
import HostTools
import TestSupport
import Testing

@testable import CampaignRunner

/// A fuzzer that does what its inputs say, over folders of its own. Each input is an edge; a first word has a meaning:
/// `break LAW` violates it, `sometimes LAW` with each third run, `trap FUNCTION` ends there, `lie` reports a crash and
/// ends as if nothing had been, and `mute` ends without a report.
final class ReadingFuzzer {
  let files: ScriptedFuzzer
  let target: FuzzTarget
  let layout: FuzzLayout

  /// The word that its script plays: how it merges, makes smaller and searches.
  init(_ play: String = "") throws {
    files = try ScriptedFuzzer(.clean)
    target = try #require(FuzzTarget.named("scanner"))
    let folder = files.folder.path
    var layout = FuzzLayout()
    (layout.binaries, layout.scratch, layout.fuzz) = ("\(folder)/bin", "\(folder)/scratch", "\(folder)/Fuzz")
    (layout.scenarios, layout.reports) = ("\(folder)/Scenarios", "\(folder)/reports")
    self.layout = layout
    try files.write("bin/words", Data("\(play)\n".utf8))
    try ProgramFile.write(Self.script, to: "\(folder)/bin/fuzz_scanner")
  }

  /// Below the folder of committed inputs.
  func write(_ inputs: [String: String]) throws {
    for (path, text) in inputs { try files.write("Fuzz/\(path)", Data("\(text)\n".utf8)) }
  }

  func path(_ name: String) -> String { "\(layout.fuzz)/\(name)" }

  func examiner() throws -> FuzzExaminer { FuzzExaminer(layout: layout, deathPipe: try ParentDeathPipe()) }

  /// What lies in a folder, sorted; without ends of line.
  func contents(of folder: String) throws -> [String] {
    let files = try HostFiles.files(below: folder)
    return try files.map { String(decoding: try HostFiles.read($0).dropLast(), as: UTF8.self) }.sorted()
  }

  private static let script = #"""
    #!/bin/sh
    here=$(dirname "$0")
    read -r play <"$here/words"
    exec 2>&1
    merge= smaller= stays= place= files= folders=
    for argument in "$@"; do
      case "$argument" in
        -set_cover_merge=1) merge=yes ;;
        -minimize_crash=1) smaller=yes ;;
        -runs=0) stays=yes ;;
        -exact_artifact_path=*) place=${argument#*=} ;;
        -*) ;;
        *) if [ -d "$argument" ]; then folders="$folders $argument"; else files="$files $argument"; fi ;;
      esac
    done
    crash() {
      [ -n "$1" ] && echo "F.swift:1: Fatal error: violation of $1: expected 3, saw 4"
      echo '==1== ERROR: libFuzzer: deadly signal'
      echo "    #5 0x55 in $2 /src/F.swift:54:7"
      echo 'SUMMARY: libFuzzer: deadly signal'
    }
    run() {
      read -r word rest <"$1"
      case "$word" in
        break) crash "$rest" body; exit 77 ;;
        sometimes)
          count=$(($(cat "$here/count" 2>/dev/null || echo 0) + 1))
          echo $count >"$here/count"
          [ $((count % 3)) -eq 0 ] && { crash "$rest" body; exit 77; } ;;
        trap) crash '' "$rest"; exit 77 ;;
        lie) crash scanner/whole body; exit 0 ;;
        mute) exit 3 ;;
      esac
    }
    echo 'INFO: Loaded 1 modules   (2587 inline 8-bit counters): 2587 [0x1, 0x2),'
    if [ -n "$merge" ]; then
      set -- $folders
      into=$1
      shift
      [ "$play" = forgets ] || for folder; do cp "$folder"/* "$into" 2>/dev/null; done
      [ "$play" = ends ] && exit 1
      exit 0
    fi
    if [ -n "$smaller" ]; then
      [ "$play" = same ] && cp $files "$place" || [ -z "$play" ] || echo "$play" >"$place"
      exit 77
    fi
    if [ -n "$files" ]; then
      for file in $files; do echo "Running: $file"; run "$file"; done
      exit 0
    fi
    if [ -n "$stays" ]; then
      for folder in $folders; do for file in "$folder"/*; do [ -f "$file" ] && run "$file"; done; done
      count=$(for folder in $folders; do cat "$folder"/* 2>/dev/null; done | sort -u | wc -l)
      echo "#$count	INITED cov: $count ft: $count corp: 1/1b exec/s: 0 rss: 37Mb"
      exit 0
    fi
    echo '#9	INITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 37Mb'
    [ "$play" = loses ] && { crash scanner/leftmost body; exit 77; }
    echo 'stat::number_of_executed_units: 1000000'
    [ "$play" = fails ] && exit 3
    exit 0
    """#
}
