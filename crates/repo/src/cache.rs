//! A cache of outlines by content, least recently used out first. Counts the bytes that it holds; never reads the clock.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::limit::CACHE_BYTES;
use super::outline::{FileOutline, Language, SymbolInfo};

/// The key of a cached outline: the language, and the hash of the file's text.
pub(super) type Key = (Language, [u8; 32]);

/// The cached outlines of a code base, at most [`CACHE_BYTES`] in all. The least recently used ones are
/// removed first.
#[derive(Default)]
pub(super) struct Cache {
    kept: HashMap<Key, CachedOutline>,
    /// The keys by the number of their last use; the lowest number is removed first.
    order: BTreeMap<u64, Key>,
    now: u64,
    bytes: usize,
}

/// A cached outline with its estimated bytes and the number of its last use.
struct CachedOutline {
    outline: Arc<FileOutline>,
    bytes: usize,
    asked: u64,
}

impl Cache {
    pub(super) fn get(&mut self, key: &Key) -> Option<Arc<FileOutline>> {
        self.now += 1;
        let kept = self.kept.get_mut(key)?;
        self.order.remove(&kept.asked);
        kept.asked = self.now;
        self.order.insert(self.now, *key);
        Some(Arc::clone(&kept.outline))
    }

    pub(super) fn put(&mut self, key: Key, outline: Arc<FileOutline>) {
        let bytes = weight(&outline);
        // Another thread may have made the same. An outline that alone exceeds the limit is not kept.
        if self.kept.contains_key(&key) || bytes > CACHE_BYTES {
            return;
        }
        self.now += 1;
        self.bytes += bytes;
        self.kept.insert(key, CachedOutline { outline, bytes, asked: self.now });
        self.order.insert(self.now, key);
        while self.bytes > CACHE_BYTES {
            let Some((_, oldest)) = self.order.pop_first() else { return };
            self.bytes -= self.kept.remove(&oldest).map_or(0, |kept| kept.bytes);
        }
    }
}

/// Returns an estimate of the bytes that an outline takes in memory.
fn weight(outline: &FileOutline) -> usize {
    let imports: usize = outline
        .imports
        .iter()
        .map(|import| {
            80 + import.text.len() + import.targets.iter().map(|target| 24 + target.len()).sum::<usize>()
        })
        .sum();
    200 + outline.path.len() + imports + outline.symbols.iter().map(symbol_weight).sum::<usize>()
}

fn symbol_weight(symbol: &SymbolInfo) -> usize {
    let texts = symbol.name.len() + symbol.signature.len() + symbol.docstring.as_ref().map_or(0, String::len);
    let decorators: usize = symbol.decorators.iter().map(|decorator| 24 + decorator.len()).sum();
    size_of::<SymbolInfo>() + texts + decorators + symbol.children.iter().map(symbol_weight).sum::<usize>()
}
