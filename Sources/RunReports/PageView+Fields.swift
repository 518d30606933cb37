import Mustache

// What templates ask for, by name. Without these the engine would look for each name in a mirror of the value, which
// took most of a page's time.

extension PageView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "headline": return headline
    case "banner": return banner
    case "subject": return subject
    case "mood": return mood
    case "good": return good
    case "total": return total
    case "state": return state
    case "facts": return facts
    case "tones": return tones
    case "folds": return folds
    case "concerns": return concerns
    case "moreConcerns": return moreConcerns
    case "divergences": return divergences
    case "moreDivergences": return moreDivergences
    case "hasConcerns": return hasConcerns
    case "hasDivergences": return hasDivergences
    case "matrix": return matrix
    case "groups": return groups
    case "meanings": return meanings
    case "style": return style
    case "script": return script
    default: return nil
    }
  }
}

extension PageView.FactView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "name": return name
    case "value": return value
    default: return nil
    }
  }
}

extension PageView.ToneView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "name": return name
    case "label": return label
    case "glyph": return glyph
    case "count": return count
    case "isLook": return isLook
    default: return nil
    }
  }
}

extension PageView.ConcernView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "anchor": return anchor
    case "search": return search
    case "tone": return tone
    case "glyph": return glyph
    case "title": return title
    case "place": return place
    case "company": return company
    case "headline": return headline
    default: return nil
    }
  }
}

extension PageView.FoldView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "search": return search
    case "control": return control
    case "absent": return absent
    case "concerns": return concerns
    case "cost": return cost
    case "remainder": return remainder
    case "scenarios": return scenarios
    case "more": return more
    default: return nil
    }
  }
}

extension PageView.FoldedView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "anchor": return anchor
    case "name": return name
    case "count": return count
    case "deviating": return deviating
    default: return nil
    }
  }
}

extension PageView.DivergenceView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "scenario": return scenario
    case "variant": return variant
    case "loopback": return loopback
    case "simulated": return simulated
    default: return nil
    }
  }
}

extension PageView.GroupView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "anchor": return anchor
    case "title": return title
    case "area": return area
    case "scenario": return scenario
    case "search": return search
    case "chips": return chips
    case "tags": return tags
    case "panels": return panels
    case "hasLines": return hasLines
    case "lineCount": return lineCount
    case "lines": return lines
    case "omitted": return omitted
    default: return nil
    }
  }
}

extension PageView.MeaningView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "tone": return tone
    case "glyph": return glyph
    case "label": return label
    case "text": return text
    default: return nil
    }
  }
}

extension MatrixView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "worlds": return worlds
    case "families": return families
    case "areas": return areas
    case "width": return width
    default: return nil
    }
  }
}

extension MatrixView.WorldView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "name": return name
    case "span": return span
    default: return nil
    }
  }
}

extension MatrixView.FamilyView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "name": return name
    case "isFirst": return isFirst
    default: return nil
    }
  }
}

extension MatrixView.AreaView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "name": return name
    case "rows": return rows
    default: return nil
    }
  }
}

extension MatrixView.RowView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "title": return title
    case "scenario": return scenario
    case "anchor": return anchor
    case "search": return search
    case "cells": return cells
    default: return nil
    }
  }
}

extension MatrixView.CellView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "isFirst": return isFirst
    case "tiles": return tiles
    default: return nil
    }
  }
}

extension CasePanel.View: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "anchor": return anchor
    case "tone": return tone
    case "glyph": return glyph
    case "verdict": return verdict
    case "place": return place
    case "company": return company
    case "duration": return duration
    case "headline": return headline
    case "isOpen": return isOpen
    case "reason": return reason
    case "alike": return alike
    case "lastWords": return lastWords
    case "deviations": return deviations
    case "moreDeviations": return moreDeviations
    case "command": return command
    case "traceHash": return traceHash
    case "isShort": return isShort
    case "stories": return stories
    case "diagram": return diagram
    case "capture": return capture
    case "bytes": return bytes
    case "path": return path
    case "source": return source
    default: return nil
    }
  }
}

extension CasePanel.BacktraceView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "messages": return messages
    case "frames": return frames
    case "hasFrames": return hasFrames
    case "title": return title
    case "isOpen": return isOpen
    case "text": return text
    default: return nil
    }
  }
}

extension CasePanel.StoryView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "title": return title
    case "facts": return facts
    default: return nil
    }
  }
}

extension CasePanel.StoryFactView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "name": return name
    case "tone": return tone
    case "value": return value
    default: return nil
    }
  }
}

extension CasePanel.DeviationView: MustacheParent {
  func child(named field: String) -> Any? {
    switch field {
    case "kind": return kind
    case "requirement": return requirement
    case "line": return line
    case "expected": return expected
    case "actual": return actual
    default: return nil
    }
  }
}
