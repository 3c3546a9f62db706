//! Generates the functions that serialize and deserialize a channel with `with` inside an update.

use proc_macro2::TokenStream;
use quote::quote;

use super::{ChannelField, WriteRule};
use crate::root;

impl ChannelField<'_> {
    /// Returns the two functions that serialize and deserialize the update's field of a channel with `with`;
    /// `None` for a channel without it. Whole values, and writes of the same type, use the functions of
    /// `with`; a write of another type, such as an appended element, uses serde's own form.
    pub(super) fn form_functions(&self) -> Option<TokenStream> {
        let root = root::path();
        if !self.has_own_form() {
            return None;
        }
        let (kind, written) = (self.kind, self.write_type());
        let (write_name, read_name) = (self.function("write"), self.function("read"));
        let serde = quote!(#root::__private::serde);
        let write = self
            .serde
            .write
            .as_ref()
            .map_or_else(|| quote!(#serde::Serialize::serialize), |path| quote!(#path));
        let read = self
            .serde
            .read
            .as_ref()
            .map_or_else(|| quote!(#serde::Deserialize::deserialize), |path| quote!(#path));
        let own_delta = !matches!(self.rule, WriteRule::Append | WriteRule::Custom { delta: Some(_), .. });
        let (write_body, read_body) = match self.delta() {
            None => (quote!(#write(value, to)), quote!(#read(from).map(::core::option::Option::Some))),
            Some(delta) => {
                let (write_delta, read_delta) = if own_delta {
                    (write.clone(), read.clone())
                } else {
                    (quote!(#serde::Serialize::serialize), quote!(#serde::Deserialize::deserialize))
                };
                let form = quote! {
                    struct Delta<T>(T);
                    struct Whole<T>(T);
                };
                let write_body = quote! {
                    #form
                    impl #serde::Serialize for Delta<&#delta> {
                        fn serialize<S: #serde::Serializer>(&self, to: S) -> ::core::result::Result<S::Ok, S::Error> { #write_delta(self.0, to) }
                    }
                    impl #serde::Serialize for Whole<&#kind> {
                        fn serialize<S: #serde::Serializer>(&self, to: S) -> ::core::result::Result<S::Ok, S::Error> { #write(self.0, to) }
                    }
                    #serde::Serialize::serialize(&value.each_ref().map(Delta, Whole), to)
                };
                let read_body = quote! {
                    #form
                    impl<'de> #serde::Deserialize<'de> for Delta<#delta> {
                        fn deserialize<D: #serde::Deserializer<'de>>(from: D) -> ::core::result::Result<Self, D::Error> { #read_delta(from).map(Delta) }
                    }
                    impl<'de> #serde::Deserialize<'de> for Whole<#kind> {
                        fn deserialize<D: #serde::Deserializer<'de>>(from: D) -> ::core::result::Result<Self, D::Error> { #read(from).map(Whole) }
                    }
                    let writes: #root::Fold<Delta<#delta>, Whole<#kind>> = #serde::Deserialize::deserialize(from)?;
                    ::core::result::Result::Ok(::core::option::Option::Some(writes.map(|delta| delta.0, |whole| whole.0)))
                };
                (write_body, read_body)
            }
        };
        Some(quote! {
            fn #write_name<S: #serde::Serializer>(writes: &::core::option::Option<#written>, to: S) -> ::core::result::Result<S::Ok, S::Error> {
                match writes {
                    ::core::option::Option::Some(value) => { #write_body }
                    ::core::option::Option::None => to.serialize_none(),
                }
            }
            fn #read_name<'de, D: #serde::Deserializer<'de>>(from: D) -> ::core::result::Result<::core::option::Option<#written>, D::Error> {
                #read_body
            }
        })
    }
}
