//! Generates the code of `#[derive(State)]`: the update type, its setters, and the fold.

mod forms;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Data, DeriveInput, Error, Field, Fields, GenericArgument, Ident, Path, PathArguments, Result, Type,
};

use super::root;
use super::serde_attributes::{ChannelAttributes, StateAttributes};

/// The rule by which writes to a channel are combined with its value, as the field's attribute sets it.
enum WriteRule {
    /// Replaces the value; two writes in one superstep are an error. The default.
    Last,
    /// Replaces the value; the last of several writes wins.
    Any,
    /// Appends each written element.
    Append,
    /// Calls `add`, `max`, `min` or `merge` of the engine; a write (delta) has the type of the value.
    Named(Ident),
    /// Calls the function of `reduce = …`.
    Custom {
        reduce: Path,
        /// The type of a write (delta); `None` if it is the type of the value.
        delta: Option<Box<Type>>,
    },
}

/// A field of the state: a channel with its attributes.
struct ChannelField<'a> {
    name: &'a Ident,
    kind: &'a Type,
    index: u32,
    rule: WriteRule,
    lifetime: Ident,
    serde: ChannelAttributes,
}

/// Maximum number of channels: the bits of the engine's `ChannelSet`.
const CHANNELS_MAX: usize = 128;

/// Returns the code of the derive: the update type, and the implementation of the trait `State`. Fails for
/// structs that cannot be a state.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = named_fields(input)?;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a state cannot be generic"));
    }
    let attributes = StateAttributes::parse(input)?;
    let version = parse_version(input)?;
    let channels = fields
        .iter()
        .enumerate()
        .map(|(at, field)| {
            ChannelField::parse(u32::try_from(at).expect("fewer than 128"), field, &attributes)
        })
        .collect::<Result<Vec<_>>>()?;
    let update = update_type(input, &channels);
    let state = state_impl(input, &channels, version);
    Ok(quote! { #update #state })
}

/// Returns the fields of the struct. Fails for enums, tuple structs and more than 128 fields.
fn named_fields(input: &DeriveInput) -> Result<Vec<&Field>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`State` can be derived for structs only"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(
            &input.ident,
            "the fields of a state need names: they are its channels",
        ));
    };
    if fields.named.len() > CHANNELS_MAX {
        let message = format!("a state has at most {CHANNELS_MAX} fields; group some of them in a struct");
        return Err(Error::new_spanned(&input.ident, message));
    }
    Ok(fields.named.iter().collect())
}

impl<'a> ChannelField<'a> {
    /// Reads the attributes of a field and checks that they are consistent. `index` is its position.
    fn parse(index: u32, field: &'a Field, state: &StateAttributes) -> Result<Self> {
        let name = field.ident.as_ref().expect("the fields are named");
        let serde = ChannelAttributes::parse(field, &without_raw_prefix(name), state)?;
        let (mut rule, mut lifetime, mut delta) = (None, None, None);
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("state")) {
            attribute.parse_nested_meta(|meta| {
                let word = meta.path.require_ident()?.clone();
                match word.to_string().as_str() {
                    "last" => set_once(&mut rule, WriteRule::Last, &word),
                    "any" => set_once(&mut rule, WriteRule::Any, &word),
                    "append" => set_once(&mut rule, WriteRule::Append, &word),
                    "add" | "max" | "min" | "merge" => set_once(&mut rule, WriteRule::Named(word.clone()), &word),
                    "reduce" => {
                        let reduce = meta.value()?.parse()?;
                        set_once(&mut rule, WriteRule::Custom { reduce, delta: None }, &word)
                    }
                    "delta" => set_once(&mut delta, meta.value()?.parse::<Type>()?, &word),
                    "untracked" => set_once(&mut lifetime, format_ident!("InRun"), &word),
                    "ephemeral" => set_once(&mut lifetime, format_ident!("OneStep"), &word),
                    _ => Err(meta.error(
                        "expected `append`, `add`, `max`, `min`, `merge`, `last`, `any`, `reduce = …`, `delta = …`, `untracked` or `ephemeral`",
                    )),
                }
            })?;
        }
        let rule = match (rule.unwrap_or(WriteRule::Last), delta) {
            (WriteRule::Custom { reduce, .. }, Some(delta)) => {
                WriteRule::Custom { reduce, delta: Some(delta.into()) }
            }
            (_, Some(delta)) => return Err(Error::new_spanned(delta, "`delta = …` belongs to `reduce = …`")),
            (rule, None) => rule,
        };
        if matches!(rule, WriteRule::Append) && is_primitive(&field.ty) {
            // Reported here, because the trait bound would report it once for each use in the generated code.
            return Err(Error::new_spanned(
                &field.ty,
                "`append` needs a channel that elements can be appended to: a `Vec`, `VecDeque` or `String`",
            ));
        }
        let lifetime = lifetime.unwrap_or_else(|| format_ident!("Always"));
        if lifetime == "InRun" && !serde.is_skipped {
            return Err(Error::new_spanned(
                field,
                "an untracked channel is never stored: add `#[serde(skip)]` to say so to serde as well",
            ));
        }
        if lifetime != "InRun" && serde.is_skipped {
            return Err(Error::new_spanned(
                field,
                "a channel that serde skips is lost with every checkpoint: add `#[state(untracked)]` to say that it lives in the run only",
            ));
        }
        Ok(Self { name, kind: &field.ty, index, rule, lifetime, serde })
    }

    /// Returns the type `T` of the update's field `Option<T>`: the value, or `Fold` for a channel with a
    /// reducer.
    fn write_type(&self) -> TokenStream {
        let root = root::path();
        let kind = self.kind;
        match self.delta() {
            None => quote!(#kind),
            Some(delta) => quote!(#root::Fold<#delta, #kind>),
        }
    }

    /// Returns the type of one write (delta) to a channel with a reducer; `None` without a reducer.
    fn delta(&self) -> Option<TokenStream> {
        let root = root::path();
        let kind = self.kind;
        match &self.rule {
            WriteRule::Last | WriteRule::Any => None,
            WriteRule::Append => Some(quote!(<#kind as #root::Append>::Item)),
            WriteRule::Custom { delta: Some(delta), .. } => Some(quote!(#delta)),
            WriteRule::Named(_) | WriteRule::Custom { delta: None, .. } => Some(quote!(#kind)),
        }
    }

    /// Returns the type of a write as the source shows it, to decide on the setter's argument: `T` for
    /// `append` to a `Vec<T>`.
    fn shown_delta(&self) -> &Type {
        match &self.rule {
            WriteRule::Append => type_argument(self.kind).unwrap_or(self.kind),
            WriteRule::Custom { delta: Some(delta), .. } => delta,
            WriteRule::Last
            | WriteRule::Any
            | WriteRule::Named(_)
            | WriteRule::Custom { delta: None, .. } => self.kind,
        }
    }

    /// Returns the name of the rule in schemas and messages; for `reduce = …` the path of the function.
    fn rule_name(&self) -> String {
        match &self.rule {
            WriteRule::Last => "last".to_owned(),
            WriteRule::Any => "any".to_owned(),
            WriteRule::Append => "append".to_owned(),
            WriteRule::Named(name) => name.to_string(),
            WriteRule::Custom { reduce, .. } => quote!(#reduce).to_string().replace(' ', ""),
        }
    }

    /// Returns the serde attributes of the update's field, made from those of the state's field. `update` is
    /// the name of the update type.
    fn serde_attribute(&self, update: &Ident) -> TokenStream {
        if self.lifetime == "InRun" {
            return quote!(#[serde(skip)]);
        }
        let ChannelAttributes { name, aliases, .. } = &self.serde;
        let rename = (without_raw_prefix(self.name) != *name).then(|| quote!(rename = #name,));
        let (write, read) = if self.has_own_form() {
            let write = format!("{update}::{}", self.function("write"));
            let read = format!("{update}::{}", self.function("read"));
            (Some(quote!(serialize_with = #write,)), Some(quote!(deserialize_with = #read)))
        } else if matches!(self.rule, WriteRule::Last | WriteRule::Any) {
            let read = format!("{}::present", root::text());
            (None, Some(quote!(deserialize_with = #read)))
        } else {
            (None, None)
        };
        quote!(#[serde(default, skip_serializing_if = "Option::is_none", #rename #(alias = #aliases,)* #write #read)])
    }

    /// Returns true for a channel whose value is serialized or deserialized by functions of its own (`with`).
    fn has_own_form(&self) -> bool {
        self.serde.write.is_some() || self.serde.read.is_some()
    }

    /// Returns the name of a generated function of this channel: `__write_name`.
    fn function(&self, what: &str) -> Ident {
        format_ident!("__{what}_{}", without_raw_prefix(self.name))
    }

    /// Returns a constant expression that is true if the value read from JSON may differ from the value
    /// written, so that it must be read back before a commit. `None` for a channel that is never stored.
    fn read_back(&self) -> Option<TokenStream> {
        let root = root::path();
        if self.lifetime == "InRun" {
            return None;
        }
        if self.has_own_form() || self.serde.may_be_left_out {
            return Some(quote!(true));
        }
        let kind = self.kind;
        let delta = self.delta().map(|delta| quote!(&& #root::SafeProbe::<#delta>::SAFE));
        Some(quote!(!(#root::SafeProbe::<#kind>::SAFE #delta)))
    }

    /// Returns the setter of the channel in the update type; with a reducer also `extend_name` and
    /// `overwrite_name`.
    fn setters(&self) -> TokenStream {
        let root = root::path();
        let (name, kind) = (self.name, self.kind);
        let Some(delta) = self.delta() else {
            let about = format!("Sets `{name}`.");
            let (taken, value) = setter_argument(kind, &quote!(#kind), &quote!(value));
            return quote! {
                #[doc = #about]
                #[must_use]
                pub fn #name(mut self, value: #taken) -> Self {
                    self.#name = Some(#value);
                    self
                }
            };
        };
        let plain = without_raw_prefix(name);
        let overwrite = format_ident!("overwrite_{plain}");
        let extend = format_ident!("extend_{plain}");
        let about = format!("Adds a write to `{name}`, folded by `{}`.", self.rule_name());
        let all = format!("Adds several writes to `{name}`, in order.");
        let (taken, value) = setter_argument(self.shown_delta(), &delta, &quote!(delta));
        let whole = format!("Replaces `{name}`; other writes of the superstep to it are ignored.");
        quote! {
            #[doc = #about]
            #[must_use]
            pub fn #name(mut self, delta: #taken) -> Self {
                #root::Fold::push(&mut self.#name, #value);
                self
            }
            #[doc = #all]
            #[must_use]
            pub fn #extend(mut self, deltas: impl ::core::iter::IntoIterator<Item = #delta>) -> Self {
                deltas.into_iter().for_each(|delta| #root::Fold::push(&mut self.#name, delta));
                self
            }
            #[doc = #whole]
            #[must_use]
            pub fn #overwrite(mut self, value: impl ::core::convert::Into<#kind>) -> Self {
                self.#name = Some(#root::Fold::Overwrite(value.into()));
                self
            }
        }
    }

    /// Returns the statement that applies an update's writes of this channel to the state.
    fn fold(&self) -> TokenStream {
        let name = self.name;
        match self.reducer() {
            None => quote!(if let Some(value) = update.#name { self.#name = value; }),
            Some(rule) => {
                quote!(if let Some(writes) = update.#name { writes.apply(&mut self.#name, #rule); })
            }
        }
    }

    /// Returns the statement that combines the writes of this channel in two successive updates into the
    /// earlier one.
    fn compose(&self) -> TokenStream {
        let root = root::path();
        let name = self.name;
        match self.reducer() {
            None => quote!(if later.#name.is_some() { earlier.#name = later.#name; }),
            Some(rule) => {
                quote!(#root::Fold::compose(&mut earlier.#name, later.#name, #rule);)
            }
        }
    }

    /// Returns the path of the function that folds a write into the value; `None` for a channel without a
    /// reducer.
    fn reducer(&self) -> Option<TokenStream> {
        let root = root::path();
        match &self.rule {
            WriteRule::Last | WriteRule::Any => None,
            WriteRule::Append => Some(quote!(#root::Append::append)),
            WriteRule::Named(rule) => Some(quote!(#root::#rule)),
            WriteRule::Custom { reduce, .. } => Some(quote!(#reduce)),
        }
    }
}

/// Returns the type of a setter's argument, and the expression that converts it to `kind`. Primitive types
/// are taken as they are, so that literals keep their type; others by `Into`. `shown` is the type in the
/// source, `name` the argument.
fn setter_argument(shown: &Type, kind: &TokenStream, name: &TokenStream) -> (TokenStream, TokenStream) {
    match shown {
        shown if is_primitive(shown) => (quote!(#kind), quote!(#name)),
        _ => (quote!(impl ::core::convert::Into<#kind>), quote!(#name.into())),
    }
}

/// Returns true for a primitive number, `bool` or `char`.
fn is_primitive(kind: &Type) -> bool {
    const PRIMITIVES: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    matches!(kind, Type::Path(path) if PRIMITIVES.iter().any(|name| path.path.is_ident(name)))
}

/// Returns a name without `r#`, as serde writes it.
fn without_raw_prefix(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

/// Returns the first type argument of a generic type: `T` of `Vec<T>`.
fn type_argument(kind: &Type) -> Option<&Type> {
    let Type::Path(path) = kind else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(kind) => Some(kind),
        _ => None,
    })
}

/// Sets `slot`. Fails if it is already set: the attribute `word` contradicts an earlier one.
fn set_once<T>(slot: &mut Option<T>, value: T, word: &Ident) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::new_spanned(word, format!("`{word}` contradicts what stands before it"))),
    }
}

/// Returns the number in `#[state(version = …)]` on the struct; 0 without it.
fn parse_version(input: &DeriveInput) -> Result<u32> {
    let mut version = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("state")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("version") {
                return Err(meta.error("expected `version = …`; other attributes belong to the fields"));
            }
            let word = meta.path.require_ident()?.clone();
            set_once(&mut version, meta.value()?.parse::<syn::LitInt>()?.base10_parse()?, &word)
        })?;
    }
    Ok(version.unwrap_or(0))
}

/// Returns the update type with its setters and its implementation of the trait `Update`.
fn update_type(input: &DeriveInput, channels: &[ChannelField]) -> TokenStream {
    let root = root::path();
    let serde = format!("{}::__private::serde", root::text());
    let (state, shown) = (&input.ident, &input.vis);
    let update = format_ident!("{state}Update");
    let about = format!("A change of [`{state}`]: each channel optional.");
    let fields = channels.iter().map(|channel| {
        let (name, written, serde) = (channel.name, channel.write_type(), channel.serde_attribute(&update));
        let about = format!("What is written to `{name}`.");
        quote!(#[doc = #about] #serde pub #name: ::core::option::Option<#written>)
    });
    let setters = channels.iter().map(ChannelField::setters);
    let forms = channels.iter().filter_map(ChannelField::form_functions);
    let names: Vec<_> = channels.iter().map(|channel| channel.name).collect();
    let indexes: Vec<_> = channels.iter().map(|channel| channel.index).collect();
    let exclusive = channels.iter().map(|channel| {
        let (name, index) = (channel.name, channel.index);
        match channel.rule {
            WriteRule::Last => quote!(.with(#index, #root::Presence::of(&self.#name))),
            WriteRule::Any => quote!(),
            _ => quote!(.with(#index, #root::Fold::overwrite_presence(&self.#name))),
        }
    });
    let folded = channels.iter().filter(|channel| channel.reducer().is_some()).map(|channel| {
        let (name, index) = (channel.name, channel.index);
        quote!(if channels.contains(#index) { self.#name = None; })
    });
    quote! {
        #[doc = #about]
        #[derive(Clone, Default, #root::__private::serde::Serialize, #root::__private::serde::Deserialize)]
        #[serde(crate = #serde, deny_unknown_fields)]
        #shown struct #update { #(#fields),* }

        #[allow(dead_code, reason = "a setter for each channel, whether or not this program writes it")]
        impl #update { #(#setters)* }

        #[automatically_derived]
        impl #update { #(#forms)* }

        #[automatically_derived]
        impl #root::Update for #update {
            fn written_channels(&self) -> #root::ChannelSet {
                #root::ChannelSet::EMPTY
                    #(.with(#indexes, #root::Presence::of(&self.#names)))*
            }
            fn exclusive_channels(&self) -> #root::ChannelSet {
                #root::ChannelSet::EMPTY #(#exclusive)*
            }
            #[allow(unused_variables)]
            fn forget(&mut self, channels: #root::ChannelSet) { #(#folded)* }
        }
    }
}

/// Returns the implementation of the trait `State`.
fn state_impl(input: &DeriveInput, channels: &[ChannelField], version: u32) -> TokenStream {
    let root = root::path();
    let state = &input.ident;
    let update = format_ident!("{state}Update");
    let described = channels.iter().map(|channel| {
        let (name, aliases) = (&channel.serde.name, &channel.serde.aliases);
        let (lifetime, rule) = (&channel.lifetime, channel.rule_name());
        let kind = channel.kind;
        let kind = quote!(#kind).to_string().replace(' ', "");
        quote! {
            #root::Channel {
                name: #name, aliases: &[#(#aliases),*], kind: #kind, rule: #rule, lifetime: #root::ChannelLifetime::#lifetime,
            }
        }
    });
    let read_back = channels.iter().filter_map(|channel| {
        let (index, doubt) = (channel.index, channel.read_back()?);
        Some(quote!(.with(#index, #root::Presence::when(#doubt))))
    });
    let folds = channels.iter().map(ChannelField::fold);
    let composes = channels.iter().map(ChannelField::compose);
    let ephemeral: Vec<_> =
        channels.iter().filter(|channel| channel.lifetime == "OneStep").map(|channel| channel.name).collect();
    let begin_step = (!ephemeral.is_empty()).then(|| {
        quote! {
            fn begin_step(&mut self) { #(self.#ephemeral = ::core::default::Default::default();)* }
            fn expire(&self, update: &mut #update) { #(update.#ephemeral = ::core::option::Option::None;)* }
        }
    });
    quote! {
        #[automatically_derived]
        impl #root::State for #state {
            type Update = #update;
            const CHANNELS: &'static [#root::Channel] = &[#(#described),*];
            const VERSION: u32 = #version;
            const READ_BACK: #root::ChannelSet = {
                #[allow(unused_imports, reason = "every channel may be safe")]
                use #root::ProbeFallback as _;
                #root::ChannelSet::EMPTY #(#read_back)*
            };
            #[allow(unused_variables)]
            fn fold(&mut self, update: #update) { #(#folds)* }
            #[allow(unused_variables)]
            fn compose(&self, earlier: &mut #update, later: #update) { #(#composes)* }
            #begin_step
        }
    }
}
