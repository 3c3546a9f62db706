//! Finds the path of the traits in the crate that uses a derive: that of `stategraph-core` or of the facade
//! `stategraph`, under the name in that crate's manifest.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::TokenStream;

/// Returns the path by which generated code names the crate of the traits, as text: `::stategraph_core`. A
/// crate that depends on neither crate gets the facade's path, so that the compiler reports the missing
/// dependency.
pub(crate) fn text() -> String {
    let core = crate_name("stategraph-core").map(|found| match found {
        // The crate itself, its tests or its examples: `lib.rs` declares the crate under this name.
        FoundCrate::Itself => "::stategraph_core".to_owned(),
        FoundCrate::Name(name) => format!("::{name}"),
    });
    core.unwrap_or_else(|_| match crate_name("stategraph") {
        Ok(FoundCrate::Name(name)) => format!("::{name}::engine"),
        Ok(FoundCrate::Itself) | Err(_) => "::stategraph::engine".to_owned(),
    })
}

/// Returns the path of the crate of the traits as tokens; see [`text`].
pub(crate) fn path() -> TokenStream {
    text().parse().expect("the name of a crate is a path")
}
