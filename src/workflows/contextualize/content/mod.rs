//! The text of a context file, made of facts, within a limit of tokens. Asks no model.
