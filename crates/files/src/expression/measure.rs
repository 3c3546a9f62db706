//! Measures minijinja values: for the bounds of an evaluation, and as JSON. Enforces no bound; see `bounded.rs`.

use minijinja::value::{Value, ValueKind};

use crate::inline::json_size;

/// Maximum nesting depth of a value in an expression.
pub(super) const DEPTH_MAX: usize = 150;

/// Estimated bytes of a value besides the data that it points to.
pub(super) const VALUE_SIZE: usize = 24;

/// Bytes of a text that count as one value, because reading them takes about as long.
const TEXT_PIECE: usize = 128;

/// The size of a minijinja value: number of values in it, estimated bytes, and nesting depth.
#[derive(Clone, Copy, Default)]
pub(super) struct ValueSize {
    /// Number of values in it, itself included.
    pub(super) values: usize,
    /// Bytes, including the texts of its numbers.
    pub(super) bytes: usize,
    pub(super) depth: usize,
}

/// Returns the size of a value, or of its beginning: it stops after `most` values.
pub(super) fn measure(value: &Value, most: usize) -> ValueSize {
    let mut size = ValueSize::default();
    add_size(value, most, 1, &mut size);
    size
}

/// Returns true if the value takes more than `most` bytes as JSON, or is nested too deeply. Checked before the
/// conversion to JSON, because that would allocate the bytes.
pub(super) fn exceeds_json_size(value: &Value, most: usize) -> bool {
    let mut left = most;
    subtract_json_size(value, 1, &mut left).is_none()
}

/// Subtracts the JSON size of a value from `left`. `None` if `left` does not suffice or the value is nested
/// too deeply.
fn subtract_json_size(value: &Value, depth: usize, left: &mut usize) -> Option<()> {
    let bytes = json_size(&serde_json::Value::Null) + value.as_str().map_or(0, str::len);
    *left = left.checked_sub(bytes)?;
    let is_map = value.kind() == ValueKind::Map;
    if depth > DEPTH_MAX {
        return None;
    }
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        for item in value.try_iter().ok()? {
            subtract_json_size(&item, depth + 1, left)?;
            if is_map {
                subtract_json_size(&value.get_item(&item).ok()?, depth + 1, left)?;
            }
        }
    }
    Some(())
}

fn add_size(value: &Value, most: usize, depth: usize, size: &mut ValueSize) {
    size.values += 1;
    size.bytes = size.bytes.saturating_add(VALUE_SIZE);
    size.depth = size.depth.max(depth);
    if depth > DEPTH_MAX || size.values > most {
        return;
    }
    match value.kind() {
        ValueKind::String => {
            let length = value.as_str().map_or(0, str::len);
            size.bytes = size.bytes.saturating_add(length);
            size.values += length / TEXT_PIECE;
        }
        // A float may have 300 digits.
        ValueKind::Number if !value.is_integer() => size.bytes = size.bytes.saturating_add(300),
        ValueKind::Number => size.bytes = size.bytes.saturating_add(VALUE_SIZE),
        ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => {
            let Ok(items) = value.try_iter() else { return };
            let is_map = value.kind() == ValueKind::Map;
            for item in items {
                if size.values > most {
                    return;
                }
                add_size(&item, most, depth + 1, size);
                if let Some(entry) = is_map.then(|| value.get_item(&item).ok()).flatten() {
                    add_size(&entry, most, depth + 1, size);
                }
            }
        }
        _ => {}
    }
}
