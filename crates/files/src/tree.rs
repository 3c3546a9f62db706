//! The bounds of a graph file as YAML. Knows no key of the format.

use stategraph_yaml::{YamlError, YamlLimits, YamlNode};

/// Maximum nesting depth of lists and maps; a graph file needs six.
pub const DEPTH_MAX: usize = 16;

/// The largest graph needs about half of the values, a hand-written file about a hundredth of those of aliases.
const LIMITS: YamlLimits = YamlLimits { depth: DEPTH_MAX, values: 100_000, alias_values: 10_000 };

/// Parses a file of one YAML document to a tree. Fails beyond the bounds of depth, size and alias expansion.
pub(crate) fn parse(text: &str) -> Result<YamlNode, YamlError> {
    stategraph_yaml::parse(text, &LIMITS)
}
