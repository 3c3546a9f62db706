//! Ranks texts by the words of a query with BM25 (Robertson and Zaragoza, 2009). Pure; compares words, not meanings.

use std::collections::BTreeMap;

/// BM25's `k1`: a smaller value lets repeated words count less.
const K1: f64 = 1.2;

/// BM25's `b`: a larger value penalises long texts more.
const B: f64 = 0.75;

/// Returns the score of each text in the order of `texts`; 0 for a text without a word of the query. A word is a run of letters and digits
/// in lower case; there is no stemming.
pub fn rank(query: &str, texts: &[String]) -> Vec<f64> {
    let texts: Vec<WordCounts> = texts.iter().map(|text| WordCounts::of(text)).collect();
    let total: usize = texts.iter().map(|text| text.length).sum();
    let mut wanted: Vec<String> = words(query).collect();
    wanted.sort();
    wanted.dedup();
    let mut scores = vec![0.0; texts.len()];
    for word in &wanted {
        let holders = texts.iter().filter(|text| text.words.contains_key(word)).count();
        let rarity = (1.0 + (to_f64(texts.len()) - to_f64(holders) + 0.5) / (to_f64(holders) + 0.5)).ln();
        for (score, text) in scores.iter_mut().zip(&texts) {
            let Some(count) = text.words.get(word) else { continue };
            let length = to_f64(text.length) * to_f64(texts.len()) / to_f64(total.max(1));
            let count = to_f64(*count);
            *score += rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
        }
    }
    scores
}

struct WordCounts {
    words: BTreeMap<String, usize>,
    length: usize,
}

impl WordCounts {
    fn of(text: &str) -> Self {
        let mut counted = Self { words: BTreeMap::new(), length: 0 };
        for word in words(text) {
            *counted.words.entry(word).or_default() += 1;
            counted.length += 1;
        }
        counted
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn to_f64(count: usize) -> f64 {
    // Exact up to 2^32 words, more than fit into memory.
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
