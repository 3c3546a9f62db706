//! Model costs in a state or an update: maps of numbers, by model. Knows no price.

/// Key of the model costs of a run in a checkpoint. No channel can have this name.
pub const SPENT_KEY: &str = "$spent";
