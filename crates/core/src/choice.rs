//! What a conditional edge decides: a value with a label per arm. Pure; see `plan.rs` for what happens with it.

/// The answer of a conditional edge: an enum without data, by `#[derive(Choice)]`, or a `bool`.
///
/// ```
/// use stategraph_core::Choice;
///
/// #[derive(Choice, Clone, Copy)]
/// enum Verdict {
///     Verified,
///     NeedsRevision,
/// }
/// assert_eq!(Verdict::LABELS, ["verified", "needs_revision"]);
/// assert_eq!(Verdict::NeedsRevision.index(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot decide a branch",
    note = "a branch returns a `bool` or an enum without data that derives `Choice`"
)]
pub trait Choice: Copy + Send + Sync + 'static {
    /// The labels, in the order of [`index`](Self::index); those of the derive are the variants in snake case.
    const LABELS: &'static [&'static str];

    /// Which label.
    fn index(self) -> usize;

    /// The label.
    fn label(self) -> &'static str {
        Self::LABELS[self.index()]
    }
}

impl Choice for bool {
    const LABELS: &'static [&'static str] = &["false", "true"];

    fn index(self) -> usize {
        usize::from(self)
    }
}
