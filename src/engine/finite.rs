//! Values as JSON, without what JSON has no word for: `serde_json` writes NaN and the infinities as `null`, and a checkpoint would
//! hold another value than the state, or none that can be read. Here they are errors that name their place, raised before
//! anything is committed (P6). A value without `null` is not looked at twice. Knows no store; see `written.rs`.

use std::fmt;
use std::io;

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

/// Like [`serde_json::value::to_raw_value`], for finite numbers only.
pub(crate) fn to_raw_value<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Box<RawValue>> {
    let raw = serde_json::value::to_raw_value(value)?;
    if raw.get().contains("null") {
        check(value)?;
    }
    Ok(raw)
}

/// Like [`serde_json::to_writer`] to a buffer, for finite numbers only.
pub(crate) fn append<T: Serialize + ?Sized>(buffer: &mut Vec<u8>, value: &T) -> serde_json::Result<()> {
    let mut nulls = false;
    value.serialize(&mut serde_json::Serializer::with_formatter(buffer, NoticeNull(&mut nulls)))?;
    if nulls { check(value) } else { Ok(()) }
}

fn check<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<()> {
    value.serialize(Search).map_err(ser::Error::custom)
}

/// The compact form, which remembers that there was a `null`.
struct NoticeNull<'a>(&'a mut bool);

impl Formatter for NoticeNull<'_> {
    fn write_null<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        *self.0 = true;
        writer.write_all(b"null")
    }
}

/// A number that is not finite, and the way to it, innermost first.
#[derive(Debug)]
struct NotFinite {
    number: f64,
    path: Vec<String>,
}

impl NotFinite {
    fn under(mut self, place: impl fmt::Display) -> Self {
        self.path.push(place.to_string());
        self
    }
}

impl fmt::Display for NotFinite {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        write!(out, "`{}` is {}, which JSON has no word for", path.join("."), self.number)
    }
}

impl std::error::Error for NotFinite {}

impl ser::Error for NotFinite {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        // Whatever else is wrong with the value has stopped serde_json before.
        Self { number: f64::NAN, path: vec![reason.to_string()] }
    }
}

/// Walks a value and stops at the first number that is not finite.
#[derive(Clone, Copy)]
struct Search;

/// Walks the parts of one value.
struct Parts {
    /// The variant of an enum that the parts are in.
    variant: Option<&'static str>,
    /// How many parts there were.
    count: usize,
}

impl Parts {
    fn of(variant: Option<&'static str>) -> Self {
        Self { variant, count: 0 }
    }

    fn part<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&dyn fmt::Display>,
        value: &T,
    ) -> Result<(), NotFinite> {
        self.count += 1;
        value.serialize(Search).map_err(|found| {
            let found = match name {
                Some(name) => found.under(name),
                None => found.under(self.count - 1),
            };
            match self.variant {
                Some(variant) => found.under(variant),
                None => found,
            }
        })
    }
}

/// What cannot hold a float.
macro_rules! finite {
    ($($method:ident($($kind:ty),*))*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<(), NotFinite> {
            Ok(())
        })*
    };
}

impl Serializer for Search {
    type Ok = ();
    type Error = NotFinite;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    finite! {
        serialize_bool(bool) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_none() serialize_unit() serialize_unit_struct(&'static str)
        serialize_unit_variant(&'static str, u32, &'static str)
    }

    fn serialize_f32(self, number: f32) -> Result<(), NotFinite> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), NotFinite> {
        if number.is_finite() { Ok(()) } else { Err(NotFinite { number, path: Vec::new() }) }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(self).map_err(|found| found.under(variant))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, NotFinite> {
        Ok(Parts::of(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts, NotFinite> {
        Ok(Parts::of(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts, NotFinite> {
        Ok(Parts::of(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, NotFinite> {
        Ok(Parts::of(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts, NotFinite> {
        Ok(Parts::of(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts, NotFinite> {
        Ok(Parts::of(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, NotFinite> {
        Ok(Parts::of(Some(variant)))
    }
}

/// Parts by their number, or by their name.
macro_rules! walks {
    ($($kind:ident $method:ident($($key:ident)?))*) => {
        $(impl $kind for Parts {
            type Ok = ();
            type Error = NotFinite;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<(), NotFinite> {
                let name: Option<&dyn fmt::Display> = None;
                $(let name = name.or(Some(&$key));)?
                self.part(name, value)
            }

            fn end(self) -> Result<(), NotFinite> {
                Ok(())
            }
        })*
    };
}

walks! {
    SerializeSeq serialize_element()
    SerializeTuple serialize_element()
    SerializeTupleStruct serialize_field()
    SerializeTupleVariant serialize_field()
    SerializeStruct serialize_field(key)
    SerializeStructVariant serialize_field(key)
}

impl SerializeMap for Parts {
    type Ok = ();
    type Error = NotFinite;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        self.part(None, value)
    }

    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), NotFinite>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        let name = serde_json::to_string(key).unwrap_or_default();
        self.part(Some(&name.trim_matches('"')), value)
    }

    fn end(self) -> Result<(), NotFinite> {
        Ok(())
    }
}
