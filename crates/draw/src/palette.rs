//! Colours of a run in a drawing: one pair for each [`VisitStatus`].

use stategraph_core::VisitStatus;

/// Colour of an edge that the run took.
pub(super) const TAKEN: &str = "#2f855a";

/// Returns the name of the style class for the status of a run at a node, such as `visited`; used in
/// Mermaid and in the CSS of SVG.
pub(super) fn class_name(standing: VisitStatus) -> &'static str {
    match standing {
        VisitStatus::Done => "visited",
        VisitStatus::Caught => "caught",
        VisitStatus::Next => "next",
        VisitStatus::Waits => "waits",
        VisitStatus::Failed => "failed",
    }
}

/// Returns the fill and the stroke of a node with this status, for a light background.
pub(super) fn fill_and_stroke(standing: VisitStatus) -> (&'static str, &'static str) {
    match standing {
        VisitStatus::Done => ("#e6f6ec", TAKEN),
        VisitStatus::Caught => ("#fdf0e6", "#c05621"),
        VisitStatus::Next => ("#e6f0ff", "#2b6cb0"),
        VisitStatus::Waits => ("#fff4d6", "#b7791f"),
        VisitStatus::Failed => ("#fdeaea", "#c53030"),
    }
}
