//! The path of the traits in the crate that uses a derive: in `stategraph-core`, or in the facade `stategraph`, by whatever name the user's
//! manifest gives it.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::TokenStream;

/// Returns the path as text, such as `::stategraph_core`. A crate that names neither gets the facade's own name, which the compiler then
/// says is missing.
pub(crate) fn text() -> String {
    let core = crate_name("stategraph-core").map(|found| match found {
        // Inside the crate itself, and for its tests and examples: it declares itself by this name.
        FoundCrate::Itself => "::stategraph_core".to_owned(),
        FoundCrate::Name(name) => format!("::{name}"),
    });
    core.unwrap_or_else(|_| match crate_name("stategraph") {
        Ok(FoundCrate::Name(name)) => format!("::{name}::engine"),
        Ok(FoundCrate::Itself) | Err(_) => "::stategraph::engine".to_owned(),
    })
}

/// Returns the path as tokens.
pub(crate) fn path() -> TokenStream {
    text().parse().expect("the name of a crate is a path")
}
