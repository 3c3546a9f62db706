//! The writes in an update, and the traits and functions behind the reducers of `#[derive(State)]`.

use serde::{Deserialize, Deserializer, Serialize};

/// The writes of one task to one channel with a reducer: deltas of type `D` for a value of type `T`.
///
/// The JSON form is `{"+": d}` for one delta, `{"++": [d, …]}` for several, and `{"=": value}` for an overwrite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fold<D, T> {
    /// One delta.
    #[serde(rename = "+")]
    One(D),
    /// Several deltas, in order.
    #[serde(rename = "++")]
    Many(Vec<D>),
    /// The whole value. Deltas of the same superstep are ignored.
    #[serde(rename = "=")]
    Overwrite(T),
}

impl<D, T> Fold<D, T> {
    /// Appends a delta to the writes of a task. After an overwrite the delta is ignored, as the delta of a
    /// concurrent task would be.
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

    /// Merges the writes of a later superstep into `earlier`. Folding the result gives the same value as
    /// folding both in turn. `rule` is the reducer of the channel; it folds later deltas into an earlier
    /// overwrite.
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

    /// Returns the same writes as references.
    pub fn each_ref(&self) -> Fold<&D, &T> {
        match self {
            Self::One(delta) => Fold::One(delta),
            Self::Many(all) => Fold::Many(all.iter().collect()),
            Self::Overwrite(whole) => Fold::Overwrite(whole),
        }
    }

    /// Converts each delta with `delta`, or the value of an overwrite with `whole`, and keeps the variant.
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

    /// Folds the writes into `value`: calls the reducer `rule` with each delta in order, or replaces the
    /// value by that of an overwrite.
    pub fn apply(self, value: &mut T, rule: impl Fn(&mut T, D)) {
        match self {
            Self::One(delta) => rule(value, delta),
            Self::Many(all) => all.into_iter().for_each(|delta| rule(value, delta)),
            Self::Overwrite(whole) => *value = whole,
        }
    }

    /// Returns [`Presence::Written`](super::state::Presence::Written) for an overwrite, `Absent` for deltas
    /// and for no write.
    pub fn overwrite_presence(writes: &Option<Self>) -> super::state::Presence {
        match writes {
            Some(Self::Overwrite(_)) => super::state::Presence::Written,
            _ => super::state::Presence::Absent,
        }
    }
}

/// A channel that elements can be appended to: `#[state(append)]`.
#[diagnostic::on_unimplemented(
    message = "`#[state(append)]` needs a channel that elements can be appended to, not `{Self}`",
    note = "it works on `Vec`, `VecDeque` and `String`"
)]
pub trait Append {
    /// The type of an element.
    type Item;
    /// Appends an element.
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

/// Adds `delta` to the value: `#[state(add)]`.
pub fn add<T: std::ops::AddAssign>(value: &mut T, delta: T) {
    *value += delta;
}

/// Keeps the larger value: `#[state(max)]`. A delta that does not compare, such as NaN, is ignored.
pub fn max<T: PartialOrd>(value: &mut T, delta: T) {
    if delta > *value {
        *value = delta;
    }
}

/// Keeps the smaller value: `#[state(min)]`. A delta that does not compare, such as NaN, is ignored.
pub fn min<T: PartialOrd>(value: &mut T, delta: T) {
    if delta < *value {
        *value = delta;
    }
}

/// Merges another map or set into the value; its keys win: `#[state(merge)]`.
pub fn merge<T: Extend<I> + IntoIterator<Item = I>, I>(value: &mut T, delta: T) {
    value.extend(delta);
}

/// Deserializes the value of a field that is present as `Some`, also when it is `null`. Serde alone would
/// read `null` as `None`, and the write would be lost. For the derive, with `deserialize_with`.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
