//! The examples as tests: the web service under clients that disconnect, the halves of the LangGraph page, lengths, pages that quote them.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod langgraph;
mod lengths;
mod pages;
mod service;
