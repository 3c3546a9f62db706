//! Merges the conditional edges of a node: those of one group become one decision. Reads no file.

use super::super::located::Located;
use super::super::read::{Completeness, Reader};
use super::edge::{ConditionArm, EdgeFile, EdgeTargets, Sources};

impl EdgeFile {
    /// Merges the edges with `when` and `else` of each node and group into one `Conditional` edge, at the
    /// position of the first of them; other edges stay. Reports a group without `else` or without a
    /// condition, and duplicates.
    pub(super) fn group_conditions(reader: &mut Reader, edges: Vec<Self>) -> Vec<Self> {
        let mut groups: Vec<EdgeGroup> = Vec::new();
        for edge in edges {
            let (from, name) = match &edge {
                Self::Condition { from, group, .. } | Self::Else { from, group, .. } => {
                    (from.clone(), group.as_ref().map(|group| group.value.clone()))
                }
                _ => {
                    groups.push(EdgeGroup::Single(edge));
                    continue;
                }
            };
            let at = groups.iter().position(|group| group.is_of(&from.value, name.as_deref()));
            let at = at.unwrap_or_else(|| {
                groups.push(EdgeGroup::Conditional { from, name, cases: Vec::new(), otherwise: None });
                groups.len() - 1
            });
            groups[at].add(reader, edge);
        }
        groups.into_iter().filter_map(|group| group.into_edge(reader)).collect()
    }
}

/// An edge that stays as it is, or the conditional edges of one node and group that are being merged.
enum EdgeGroup {
    Single(EdgeFile),
    Conditional {
        from: Located<String>,
        /// Name of the group; `None` for the conditions without one.
        name: Option<String>,
        cases: Vec<ConditionArm>,
        otherwise: Option<EdgeTargets>,
    },
}

impl EdgeGroup {
    /// Returns true if this is the group named `group` of conditional edges from the node `source`. `None` is
    /// the group without a name.
    fn is_of(&self, source: &str, group: Option<&str>) -> bool {
        matches!(self, Self::Conditional { from, name, .. } if from.value == source && name.as_deref() == group)
    }

    fn add(&mut self, reader: &mut Reader, edge: EdgeFile) {
        let Self::Conditional { from, cases, otherwise, .. } = self else { return };
        match edge {
            EdgeFile::Condition { when, when_at, to, .. } => {
                if otherwise.is_some() {
                    let message = format!("this condition of `{}` stands after its `else`", from.value);
                    reader.report(&when_at, message, "move the `else` below the conditions");
                }
                if cases.iter().any(|case| case.when.text() == when.text()) {
                    let message =
                        format!("`{}` has this condition twice: the second is never asked", from.value);
                    reader.report(&when_at, message, "remove one of them");
                    return;
                }
                cases.push(ConditionArm { when, when_at, to });
            }
            EdgeFile::Else { from: again, .. } if otherwise.is_some() => {
                let message = format!("`{}` has two edges with `else`", again.value);
                reader.report(&again.span, message, "keep one: what runs when no condition holds");
            }
            EdgeFile::Else { to, .. } => *otherwise = Some(to),
            _ => {}
        }
    }

    fn into_edge(self, reader: &mut Reader) -> Option<EdgeFile> {
        match self {
            Self::Single(edge) => Some(edge),
            // The missing `else` may be in a part that could not be read.
            Self::Conditional { otherwise: None, .. } if reader.completeness == Completeness::Incomplete => {
                None
            }
            // So may the conditions of the `else`.
            Self::Conditional { cases, .. }
                if cases.is_empty() && reader.completeness == Completeness::Incomplete =>
            {
                None
            }
            Self::Conditional { from, cases, otherwise, .. } if cases.is_empty() => {
                let message = format!("`{}` has an `else` and no condition", from.value);
                reader.report(&from.span, message, "write `to` instead of `else`, or add edges with `when`");
                let to = otherwise?.0.into_iter().next()?;
                let span = from.span.start..to.span.end.max(from.span.end);
                Some(EdgeFile::Static { from: Sources::One(from), to, span })
            }
            Self::Conditional { from, name, cases, otherwise: None } => {
                let of = name.as_ref().map(|name| format!(" of the group `{name}`")).unwrap_or_default();
                let message = format!(
                    "`{}` has conditional edges{of} and no edge for the case that no condition holds",
                    from.value
                );
                let group = name.map(|name| format!(", group: {name}")).unwrap_or_default();
                let hint = format!("add {{ from: {}, else: NODE{group} }}, or END as the node", from.value);
                reader.report(&cases[0].when_at, message, hint);
                reader.mark_incomplete()
            }
            Self::Conditional { from, cases, otherwise: Some(otherwise), .. } => {
                Some(EdgeFile::Conditional { from, cases, otherwise })
            }
        }
    }
}
