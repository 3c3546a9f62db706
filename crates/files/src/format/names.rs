//! The names that expressions see besides `state`, in the parts of a file where they are known.

/// Name under which a node that runs for items sees its item.
pub(super) const ITEM: &str = "item";

/// Name under which expressions see the context of the run.
pub(super) const CONTEXT: &str = "context";

/// Name under which nodes see how many supersteps the run may still do after the present one (LangGraph F26).
pub(super) const REMAINING_STEPS: &str = "remaining_steps";
