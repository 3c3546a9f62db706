//! What documents say to contributors and users beside commands: rules, recipes and limits, quoted.

use crate::collect::Texts;
use crate::fact::Fact;

/// Returns the rules, recipes and limits of all documents.
pub(crate) fn facts(_texts: &Texts) -> Vec<Fact> {
    Vec::new()
}
