//! How writes are held in an update until they are folded, and the traits behind the reducers of `#[derive(State)]`.

use serde::{Deserialize, Deserializer, Serialize};

/// The writes of one task to one folded channel: deltas of type `D` for a value of type `T`.
///
/// As JSON: `{"+": d}` for one delta, `{"++": [d, …]}` for several, `{"=": value}` for an overwrite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fold<D, T> {
    /// One delta.
    #[serde(rename = "+")]
    One(D),
    /// Several, in order.
    #[serde(rename = "++")]
    Many(Vec<D>),
    /// The whole value; deltas of the same superstep are ignored.
    #[serde(rename = "=")]
    Overwrite(T),
}

impl<D, T> Fold<D, T> {
    /// Adds a delta to the writes of a task. After an overwrite it is ignored, as one of a sibling would be.
    pub fn push(writes: &mut Option<Self>, delta: D) {
        *writes = Some(match writes.take() {
            None => Self::One(delta),
            Some(Self::One(first)) => Self::Many(vec![first, delta]),
            Some(Self::Many(mut all)) => {
                all.push(delta);
                Self::Many(all)
            }
            Some(overwrite) => overwrite,
        });
    }

    /// Adds the writes of a later superstep, so that folding the sum is folding both in turn.
    pub fn compose(earlier: &mut Option<Self>, later: Option<Self>, rule: impl Fn(&mut T, D)) {
        let Some(later) = later else { return };
        let sum = match (earlier.take(), later) {
            (None, later) | (_, later @ Self::Overwrite(_)) => later,
            (Some(Self::Overwrite(mut whole)), deltas) => {
                deltas.apply(&mut whole, rule);
                Self::Overwrite(whole)
            }
            (Some(Self::One(first)), deltas) => Self::Many(deltas.into_deltas(vec![first])),
            (Some(Self::Many(all)), deltas) => Self::Many(deltas.into_deltas(all)),
        };
        *earlier = Some(sum);
    }

    /// The same writes, borrowed.
    pub fn each_ref(&self) -> Fold<&D, &T> {
        match self {
            Self::One(delta) => Fold::One(delta),
            Self::Many(all) => Fold::Many(all.iter().collect()),
            Self::Overwrite(whole) => Fold::Overwrite(whole),
        }
    }

    /// The same writes of other types.
    pub fn map<A, B>(self, delta: impl Fn(D) -> A, whole: impl FnOnce(T) -> B) -> Fold<A, B> {
        match self {
            Self::One(one) => Fold::One(delta(one)),
            Self::Many(all) => Fold::Many(all.into_iter().map(delta).collect()),
            Self::Overwrite(value) => Fold::Overwrite(whole(value)),
        }
    }

    fn into_deltas(self, mut all: Vec<D>) -> Vec<D> {
        match self {
            Self::One(delta) => all.push(delta),
            Self::Many(deltas) => all.extend(deltas),
            Self::Overwrite(_) => {}
        }
        all
    }

    /// Folds the writes into the value with the channel's rule.
    pub fn apply(self, value: &mut T, rule: impl Fn(&mut T, D)) {
        match self {
            Self::One(delta) => rule(value, delta),
            Self::Many(all) => all.into_iter().for_each(|delta| rule(value, delta)),
            Self::Overwrite(whole) => *value = whole,
        }
    }

    /// Whether this is an overwrite.
    pub fn is_overwrite(writes: &Option<Self>) -> super::state::Presence {
        match writes {
            Some(Self::Overwrite(_)) => super::state::Presence::Written,
            _ => super::state::Presence::Absent,
        }
    }
}

/// A channel that takes elements at its end: `#[state(append)]`.
#[diagnostic::on_unimplemented(
    message = "`#[state(append)]` needs a channel that elements can be appended to, not `{Self}`",
    note = "it works on `Vec`, `VecDeque` and `String`"
)]
pub trait Append {
    /// An element.
    type Item;
    /// Adds an element at the end.
    fn append(&mut self, item: Self::Item);
}

impl<T> Append for Vec<T> {
    type Item = T;
    fn append(&mut self, item: T) {
        self.push(item);
    }
}

impl<T> Append for std::collections::VecDeque<T> {
    type Item = T;
    fn append(&mut self, item: T) {
        self.push_back(item);
    }
}

impl Append for String {
    type Item = String;
    fn append(&mut self, item: String) {
        self.push_str(&item);
    }
}

/// Adds `delta`: `#[state(add)]`.
pub fn add<T: std::ops::AddAssign>(value: &mut T, delta: T) {
    *value += delta;
}

/// Keeps the larger: `#[state(max)]`. A value that does not compare (a NaN) is ignored.
pub fn max<T: PartialOrd>(value: &mut T, delta: T) {
    if delta > *value {
        *value = delta;
    }
}

/// Keeps the smaller: `#[state(min)]`. A value that does not compare (a NaN) is ignored.
pub fn min<T: PartialOrd>(value: &mut T, delta: T) {
    if delta < *value {
        *value = delta;
    }
}

/// Takes in another map or set; later keys win: `#[state(merge)]`.
pub fn merge<T: Extend<I> + IntoIterator<Item = I>, I>(value: &mut T, delta: T) {
    value.extend(delta);
}

/// Reads a last value that is present, so that a written `null` stays a write; for the derive.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
