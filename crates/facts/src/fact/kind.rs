//! The kinds of facts, their order and their names.

/// The kind of a fact: the variant of its value, without the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactKind {
    /// [`FactValue::Project`](super::FactValue::Project).
    Project,
    /// [`FactValue::Target`](super::FactValue::Target).
    Target,
    /// [`FactValue::Dependency`](super::FactValue::Dependency).
    Dependency,
    /// [`FactValue::Tool`](super::FactValue::Tool).
    Tool,
    /// [`FactValue::Command`](super::FactValue::Command).
    Command,
    /// [`FactValue::Setting`](super::FactValue::Setting).
    Setting,
    /// [`FactValue::Route`](super::FactValue::Route).
    Route,
    /// [`FactValue::Subcommand`](super::FactValue::Subcommand).
    Subcommand,
    /// [`FactValue::Purpose`](super::FactValue::Purpose).
    Purpose,
    /// [`FactValue::Relation`](super::FactValue::Relation).
    Relation,
    /// [`FactValue::Trace`](super::FactValue::Trace).
    Trace,
    /// [`FactValue::Concern`](super::FactValue::Concern).
    Concern,
    /// [`FactValue::Rule`](super::FactValue::Rule).
    Rule,
    /// [`FactValue::Recipe`](super::FactValue::Recipe).
    Recipe,
    /// [`FactValue::Limit`](super::FactValue::Limit).
    Limit,
    /// [`FactValue::Topic`](super::FactValue::Topic).
    Topic,
    /// [`FactValue::Calls`](super::FactValue::Calls).
    Calls,
    /// [`FactValue::Edge`](super::FactValue::Edge).
    Edge,
}

impl FactKind {
    /// All kinds, in the order in which facts are sorted.
    pub const ALL: [Self; 18] = [
        Self::Project,
        Self::Target,
        Self::Dependency,
        Self::Tool,
        Self::Command,
        Self::Setting,
        Self::Route,
        Self::Subcommand,
        Self::Purpose,
        Self::Relation,
        Self::Trace,
        Self::Concern,
        Self::Rule,
        Self::Recipe,
        Self::Limit,
        Self::Topic,
        Self::Calls,
        Self::Edge,
    ];

    /// Returns the name of the kind as it appears in JSON, such as `command`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Target => "target",
            Self::Dependency => "dependency",
            Self::Tool => "tool",
            Self::Command => "command",
            Self::Setting => "setting",
            Self::Route => "route",
            Self::Subcommand => "subcommand",
            Self::Purpose => "purpose",
            Self::Relation => "relation",
            Self::Trace => "trace",
            Self::Concern => "concern",
            Self::Rule => "rule",
            Self::Recipe => "recipe",
            Self::Limit => "limit",
            Self::Topic => "topic",
            Self::Calls => "calls",
            Self::Edge => "edge",
        }
    }
}
