//! Reads the serde attributes of a state: those that its update takes over, and those that a state cannot have.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, DeriveInput, Error, Field, LitStr, Path, Result, Token};

/// The serde attributes of a field of a state, as far as the derive needs them.
pub(crate) struct ChannelAttributes {
    /// Name of the channel in checkpoints, after `rename` and `rename_all`.
    pub(crate) name: String,
    /// Other names in checkpoints (`alias`).
    pub(crate) aliases: Vec<String>,
    /// The function that serializes its value (`with`, `serialize_with`).
    pub(crate) write: Option<Path>,
    /// The function that deserializes its value (`with`, `deserialize_with`).
    pub(crate) read: Option<Path>,
    /// True if no checkpoint contains the channel (`skip`).
    pub(crate) is_skipped: bool,
    /// True if a checkpoint may lack the channel (`skip_serializing_if`).
    pub(crate) may_be_left_out: bool,
}

/// The serde attributes of a state's struct, as far as the derive needs them.
#[derive(Default)]
pub(crate) struct StateAttributes {
    rename_all: Option<NameCase>,
}

/// A naming convention of serde's `rename_all`.
#[derive(Clone, Copy)]
enum NameCase {
    /// Unchanged snake case.
    Same,
    Upper,
    Pascal,
    Camel,
    Kebab,
    UpperKebab,
}

impl NameCase {
    /// Parses the value of `rename_all`.
    fn parse(text: &LitStr) -> Result<Self> {
        Ok(match text.value().as_str() {
            "lowercase" | "snake_case" => Self::Same,
            "UPPERCASE" | "SCREAMING_SNAKE_CASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::UpperKebab,
            _ => return Err(Error::new_spanned(text, "no way of writing names that serde knows")),
        })
    }

    /// Converts the name of a field, in snake case, to this convention.
    fn apply(self, field: &str) -> String {
        let pascal = || -> String {
            let words = field.split('_').map(|word| {
                let mut letters = word.chars();
                letters
                    .next()
                    .map(|first| first.to_ascii_uppercase())
                    .into_iter()
                    .chain(letters)
                    .collect::<String>()
            });
            words.collect()
        };
        match self {
            Self::Same => field.to_owned(),
            Self::Upper => field.to_ascii_uppercase(),
            Self::Pascal => pascal(),
            Self::Camel => {
                let pascal = pascal();
                let (first, rest) = pascal.split_at(pascal.chars().next().map_or(0, char::len_utf8));
                first.to_ascii_lowercase() + rest
            }
            Self::Kebab => field.replace('_', "-"),
            Self::UpperKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

impl StateAttributes {
    /// Reads the attributes of the struct. Fails for attributes that would change the form of a whole
    /// checkpoint.
    pub(crate) fn parse(input: &DeriveInput) -> Result<Self> {
        let mut found = Self::default();
        for_each_word(&input.attrs, |meta, word| match word {
            "rename_all" => {
                found.rename_all = Some(NameCase::parse(&parse_name(meta)?)?);
                Ok(())
            }
            "from" | "try_from" | "into" | "transparent" | "remote" | "tag" | "untagged" | "content" => {
                let message = format!(
                    "a checkpoint holds a state channel by channel, which `{word}` would change: leave it out, and give a channel of its own type the attribute"
                );
                Err(meta.error(message))
            }
            _ => skip_value(meta),
        })?;
        Ok(found)
    }
}

impl ChannelAttributes {
    /// Reads the attributes of a field whose name without `r#` is `plain`. Fails for attributes with which a
    /// checkpoint would not give the value back.
    pub(crate) fn parse(field: &Field, plain: &str, state: &StateAttributes) -> Result<Self> {
        let name = state.rename_all.map_or_else(|| plain.to_owned(), |case| case.apply(plain));
        let (aliases, write, read) = (Vec::new(), None, None);
        let mut found = Self { name, aliases, write, read, is_skipped: false, may_be_left_out: false };
        for_each_word(&field.attrs, |meta, word| {
            match word {
            "rename" => {
                found.name = parse_name(meta)?.value();
                Ok(())
            }
            "alias" => {
                found.aliases.push(meta.value()?.parse::<LitStr>()?.value());
                Ok(())
            }
            "with" => {
                let module: Path = meta.value()?.parse::<LitStr>()?.parse()?;
                let member = |name: &str| {
                    let mut path = module.clone();
                    path.segments.push(syn::PathSegment::from(syn::Ident::new(name, module.segments[0].ident.span())));
                    Some(path)
                };
                (found.write, found.read) = (member("serialize"), member("deserialize"));
                Ok(())
            }
            "serialize_with" => {
                found.write = Some(meta.value()?.parse::<LitStr>()?.parse()?);
                Ok(())
            }
            "deserialize_with" => {
                found.read = Some(meta.value()?.parse::<LitStr>()?.parse()?);
                Ok(())
            }
            "skip" => {
                found.is_skipped = true;
                Ok(())
            }
            "skip_serializing_if" => {
                found.may_be_left_out = true;
                skip_value(meta)
            }
            "skip_serializing" | "skip_deserializing" => {
                let message = format!(
                    "with `{word}` a checkpoint would not give the channel back: use `#[serde(skip)]` and `#[state(untracked)]` for one that is never stored"
                );
                Err(meta.error(message))
            }
            "flatten" => Err(meta.error(
                "a checkpoint could not tell the keys of a flattened channel from the other channels: keep it under its own name",
            )),
            _ => skip_value(meta),
        }
        })?;
        Ok(found)
    }
}

/// Calls `take` with the name of each item in `#[serde(…)]`; `take` must also parse its value.
fn for_each_word(
    attributes: &[Attribute],
    mut take: impl FnMut(&ParseNestedMeta<'_>, &str) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            take(&meta, &word)
        })?;
    }
    Ok(())
}

/// Returns the name after `=`, as in `rename = "name"`. Separate names for the two directions are an error,
/// because such a checkpoint could not be read.
fn parse_name(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse();
    }
    Err(meta.error("a checkpoint is written and read with one name: give one, as in `rename = \"name\"`, and older ones with `alias`"))
}

/// Skips the value of an attribute that serde itself handles: after `=` or in parentheses.
fn skip_value(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inner;
        syn::parenthesized!(inner in meta.input);
        inner.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}
