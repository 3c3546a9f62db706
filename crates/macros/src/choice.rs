//! Generates the code of `#[derive(Choice)]`.

use super::root;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, Variant};

/// Returns the implementation of the trait `Choice` for an enum without data. Fails for other types, and if
/// two variants have the same label.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let root = root::path();
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`Choice` can be derived for enums only"));
    };
    if data.variants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "a choice needs at least one variant"));
    }
    let labels = data.variants.iter().map(label).collect::<Result<Vec<_>>>()?;
    for (at, label) in labels.iter().enumerate() {
        if labels[..at].contains(label) {
            let variant = data.variants.iter().nth(at).expect("there is a label for each variant");
            return Err(Error::new_spanned(variant, format!("two variants have the label `{label}`")));
        }
    }
    let (name, variants) = (&input.ident, data.variants.iter().map(|variant| &variant.ident));
    let indexes = 0..labels.len();
    let (generics, arguments, clause) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics #root::Choice for #name #arguments #clause {
            const LABELS: &'static [&'static str] = &[#(#labels),*];
            fn index(self) -> usize {
                match self { #(Self::#variants => #indexes),* }
            }
        }
    })
}

/// Returns the label of a variant: that of `#[choice("…")]`, or the name in snake case. Fails for a variant
/// with data.
fn label(variant: &Variant) -> Result<String> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(Error::new_spanned(variant, "a variant of a choice cannot hold data"));
    }
    match variant.attrs.iter().find(|attribute| attribute.path().is_ident("choice")) {
        Some(attribute) => Ok(attribute.parse_args::<LitStr>()?.value()),
        None => Ok(snake_case(&variant.ident.to_string())),
    }
}

/// Converts a name to snake case: `NeedsWork` → `needs_work`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (at, c) in name.chars().enumerate() {
        if c.is_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}
