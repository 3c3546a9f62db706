//! The colours of a run in a drawing: one pair for each way in which it can stand at a place.

use stategraph_core::Standing;

/// The stroke of an edge that the run went along.
pub(super) const TAKEN: &str = "#2f855a";

/// The word for it where formats name their styles.
pub(super) fn class(standing: Standing) -> &'static str {
    match standing {
        Standing::Done => "visited",
        Standing::Caught => "caught",
        Standing::Next => "next",
        Standing::Waits => "waits",
        Standing::Failed => "failed",
    }
}

/// Inside and border, for a light ground.
pub(super) fn colours(standing: Standing) -> (&'static str, &'static str) {
    match standing {
        Standing::Done => ("#e6f6ec", TAKEN),
        Standing::Caught => ("#fdf0e6", "#c05621"),
        Standing::Next => ("#e6f0ff", "#2b6cb0"),
        Standing::Waits => ("#fff4d6", "#b7791f"),
        Standing::Failed => ("#fdeaea", "#c53030"),
    }
}
