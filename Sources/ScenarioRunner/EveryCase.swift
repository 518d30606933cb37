/// What the judge holds every case to, whatever its scenario expects.
package enum EveryCase {
  /// The requirements that the judge names in deviations of its own, in the order of their ids. A case without what one
  /// of them is about, such as an error or a partial read, shows nothing of that one.
  package static let requirements = [
    "CON-02", "DIAG-04", "DIAG-10", "DIAG-11", "DIAG-13", "DIS-02", "ERR-03", "ERR-09", "ERR-12", "INV-01", "INV-02",
    "INV-04", "INV-05", "INV-06", "INV-13", "INV-15", "INV-16", "RD-ANY-02", "RD-ANY-04", "RD-DELIM-01", "RD-LEN-01",
    "RD-MAX-03", "RDQ-10", "RL-01", "RL-04", "RL-06", "RL-22", "THR-16", "TLS-21", "TMO-09", "TMO-24",
  ]
}
