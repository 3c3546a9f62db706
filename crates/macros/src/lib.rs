//! The derive macros of stategraph. The traits `State` and `Choice` in `stategraph-core` document the attributes; this crate only generates
//! code.

mod choice;
mod root;
mod serde_attributes;
mod state;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements the trait `State` for a struct with named fields (its channels), and defines its update type,
/// `NameUpdate`.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    state::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements the trait `Choice` for an enum without data. `#[choice("label")]` on a variant sets its label;
/// by default it is the variant's name in snake case.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    choice::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
