//! Measures minijinja values: for the bounds of an evaluation, and as JSON. Enforces no bound; see `bounded.rs`.

use minijinja::value::{Value, ValueKind};

use crate::inline::weight;

/// Maximum nesting depth of a value in an expression.
pub(super) const DEPTH_MAX: usize = 150;

/// Estimated bytes of a value besides the data that it points to.
pub(super) const VALUE: usize = 24;

/// Bytes of a text that count as one value, because reading them takes about as long.
const PIECE: usize = 128;

/// The size of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    /// Number of values in it, itself included.
    pub(super) values: usize,
    /// Bytes, including the texts of its numbers.
    pub(super) bytes: usize,
    pub(super) depth: usize,
}

/// Measures a value, and stops after `most` values.
pub(super) fn extent(value: &Value, most: usize) -> Extent {
    let mut extent = Extent::default();
    measure(value, most, 1, &mut extent);
    extent
}

/// Returns true if the value takes more than `most` bytes as JSON, or is nested too deeply. Checked before the
/// conversion to JSON, because
/// that would allocate the bytes.
pub(super) fn is_heavier(value: &Value, most: usize) -> bool {
    let mut left = most;
    spend(value, 1, &mut left).is_none()
}

/// Subtracts the JSON size of a value from `left`; `None` if it does not suffice.
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
