//! The settings of a run, validated once.
