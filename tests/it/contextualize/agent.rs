//! Agent mode with a scripted model: every tool, refusal and limit; approval; kills; the thread of a description that a change continues.

mod approval;
mod describing;
mod endings;
mod kills;
mod limits;
mod reading;
mod reserve;
mod scoping;
mod script;
mod servers;
mod turns;
