//! How large a value of minijinja is: for the bounds of an evaluation, and as JSON. Counts nothing; see `bounded.rs`.

use minijinja::value::{Value, ValueKind};

use crate::inline::weight;

/// The deepest value that an expression can make.
pub(super) const DEPTH_MAX: usize = 150;

/// Bytes of a value besides what it points to.
pub(super) const VALUE: usize = 24;

/// Bytes of a text that are looked at in the time of one value.
const PIECE: usize = 128;

/// How large a value is.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    /// Values in it, itself among them.
    pub(super) values: usize,
    /// Bytes, with the texts of its numbers.
    pub(super) bytes: usize,
    pub(super) depth: usize,
}

/// Measures a value; stops after so many values.
pub(super) fn extent(value: &Value, most: usize) -> Extent {
    let mut extent = Extent::default();
    measure(value, most, 1, &mut extent);
    extent
}

/// Whether a value takes more than so many bytes as JSON in memory, or is nested too deep; asked before it is made JSON.
pub(super) fn is_heavier(value: &Value, most: usize) -> bool {
    let mut left = most;
    spend(value, 1, &mut left).is_none()
}

/// Takes what a value takes as JSON; none when not so much is left.
fn spend(value: &Value, depth: usize, left: &mut usize) -> Option<()> {
    let bytes = weight(&serde_json::Value::Null) + value.as_str().map_or(0, str::len);
    *left = left.checked_sub(bytes)?;
    let is_map = value.kind() == ValueKind::Map;
    if depth > DEPTH_MAX {
        return None;
    }
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        for item in value.try_iter().ok()? {
            spend(&item, depth + 1, left)?;
            if is_map {
                spend(&value.get_item(&item).ok()?, depth + 1, left)?;
            }
        }
    }
    Some(())
}

fn measure(value: &Value, most: usize, depth: usize, extent: &mut Extent) {
    extent.values += 1;
    extent.bytes = extent.bytes.saturating_add(VALUE);
    extent.depth = extent.depth.max(depth);
    if depth > DEPTH_MAX || extent.values > most {
        return;
    }
    match value.kind() {
        ValueKind::String => {
            let length = value.as_str().map_or(0, str::len);
            extent.bytes = extent.bytes.saturating_add(length);
            extent.values += length / PIECE;
        }
        // A float may have 300 digits.
        ValueKind::Number if !value.is_integer() => extent.bytes = extent.bytes.saturating_add(300),
        ValueKind::Number => extent.bytes = extent.bytes.saturating_add(VALUE),
        ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => {
            let Ok(items) = value.try_iter() else { return };
            let is_map = value.kind() == ValueKind::Map;
            for item in items {
                if extent.values > most {
                    return;
                }
                measure(&item, most, depth + 1, extent);
                if let Some(entry) = is_map.then(|| value.get_item(&item).ok()).flatten() {
                    measure(&entry, most, depth + 1, extent);
                }
            }
        }
        _ => {}
    }
}
