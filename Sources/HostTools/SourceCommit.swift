/// Which sources something was built from, as far as their checkout tells.
package enum SourceCommit {
  /// The folder's commit in hexadecimal digits, with `+changes` behind it if the tree differs from it; nil: the folder
  /// is no checkout, or there is no git.
  package static func text(of folder: String) -> String? {
    guard let git = HostTool.git.path, let deathPipe = try? ParentDeathPipe() else { return nil }
    let commit = try? HostTool.lines(git, ["-C", folder, "rev-parse", "HEAD"], deathPipe: deathPipe)
    guard let commit, commit.code == 0, let name = commit.lines.first else { return nil }
    let arguments = ["-C", folder, "status", "--porcelain", "--untracked-files=no"]
    let status = try? HostTool.lines(git, arguments, deathPipe: deathPipe)
    guard let status, status.code == 0 else { return name }
    return status.lines.isEmpty ? name : name + "+changes"
  }
}
