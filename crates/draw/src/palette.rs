//! Colours of a run in a drawing: one pair for each [`Standing`].

use stategraph_core::Standing;

/// Stroke of an edge that the run took.
pub(super) const TAKEN: &str = "#2f855a";

/// Returns the name of the style class, for formats whose styles have names.
pub(super) fn class_name(standing: Standing) -> &'static str {
    match standing {
        Standing::Done => "visited",
        Standing::Caught => "caught",
        Standing::Next => "next",
        Standing::Waits => "waits",
        Standing::Failed => "failed",
    }
}

/// Returns fill and stroke on a light background.
pub(super) fn fill_and_stroke(standing: Standing) -> (&'static str, &'static str) {
    match standing {
        Standing::Done => ("#e6f6ec", TAKEN),
        Standing::Caught => ("#fdf0e6", "#c05621"),
        Standing::Next => ("#e6f0ff", "#2b6cb0"),
        Standing::Waits => ("#fff4d6", "#b7791f"),
        Standing::Failed => ("#fdeaea", "#c53030"),
    }
}
