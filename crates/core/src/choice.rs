//! The decision of a conditional edge: a value with one label per arm. Pure; `plan.rs` plans the target of the chosen arm.

/// The result of a conditional edge: an enum without data that derives `Choice`, or a `bool`.
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
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// #[derive(Choice, Clone, Copy)]
/// enum Verdict {
///     Good,
///     TooShort,
/// }
/// assert_eq!(Verdict::LABELS, ["good", "too_short"]);
/// assert_eq!(Verdict::TooShort.label(), "too_short");
/// # Ok(()) }) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot decide a branch",
    note = "a branch returns a `bool` or an enum without data that derives `Choice`"
)]
pub trait Choice: Copy + Send + Sync + 'static {
    /// The labels, by [`index`](Self::index). The derive names each after its variant in snake case, or as `#[choice("label")]` says.
    const LABELS: &'static [&'static str];

    /// Returns the position of the label in [`LABELS`](Self::LABELS).
    fn index(self) -> usize;

    /// Returns the label.
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
