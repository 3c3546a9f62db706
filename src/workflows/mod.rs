//! The workflows that ship with the library.

pub mod ard;
