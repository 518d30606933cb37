import Mustache

// What the template asks for, by name; see PageView+Fields.

extension CampaignView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "headline": return headline
    case "id": return id
    case "isGood": return isGood
    case "number": return number
    case "unit": return unit
    case "outcome": return outcome
    case "gates": return gates
    case "reasons": return reasons
    case "facts": return facts
    case "links": return links
    case "missing": return missing
    case "hasFindings": return hasFindings
    case "findings": return findings
    case "moreFindings": return moreFindings
    case "comparison": return comparison
    case "growth": return growth
    case "runs": return runs
    case "hasCoverage": return hasCoverage
    case "coverage": return coverage
    case "hasStates": return hasStates
    case "states": return states
    case "zoo": return zoo
    case "targets": return targets
    case "provenance": return provenance
    case "style": return style
    case "script": return script
    default: return nil
    }
  }
}

extension CampaignView.GateView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "tone": return tone
    case "glyph": return glyph
    case "title": return title
    case "state": return state
    case "actual": return actual
    case "threshold": return threshold
    default: return nil
    }
  }
}

extension CampaignView.ReasonsView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "title": return title
    case "count": return count
    case "list": return list
    default: return nil
    }
  }
}

extension CampaignView.FactView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "name": return name
    case "value": return value
    default: return nil
    }
  }
}

extension CampaignView.LinkView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "anchor": return anchor
    case "title": return title
    default: return nil
    }
  }
}

extension CampaignView.ComparisonView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "base": return base
    case "body": return body
    default: return nil
    }
  }
}

extension CampaignView.GrowthView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "charts": return charts
    default: return nil
    }
  }
}

extension CampaignView.ChartView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "title": return title
    case "facts": return facts
    case "time": return time
    case "executions": return executions
    default: return nil
    }
  }
}

extension CampaignView.BlockView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "title": return title
    case "facts": return facts
    case "body": return body
    default: return nil
    }
  }
}

extension FindingView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "anchor": return anchor
    case "tone": return tone
    case "kind": return kind
    case "title": return title
    case "target": return target
    case "status": return status
    case "severity": return severity
    case "chips": return chips
    case "detail": return detail
    case "reproduce": return reproduce
    case "scenario": return scenario
    case "stack": return stack
    case "bytes": return bytes
    case "facts": return facts
    default: return nil
    }
  }
}
