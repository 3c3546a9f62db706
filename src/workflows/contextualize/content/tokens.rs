//! The size of a text as models count it.

use std::sync::LazyLock;

use tiktoken::CoreBpe;

/// The vocabulary `cl100k_base`. Its counts of code and Markdown differ by less than 1 % from those of `o200k_base`, and it is half as large.
static VOCABULARY: LazyLock<CoreBpe> = LazyLock::new(tiktoken::encoding::cl100k_base);

/// Returns the number of tokens of a text in the vocabulary `cl100k_base`, an estimate for all models. The
/// first call unpacks the vocabulary, which takes about 0.1 s.
pub fn count_tokens(text: &str) -> usize {
    VOCABULARY.count(text)
}
