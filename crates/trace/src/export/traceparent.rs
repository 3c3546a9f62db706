//! Reads `TRACEPARENT` in the form of W3C Trace Context, by which a process names the span that started it.

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};

/// Parses a `TRACEPARENT` (`00-TRACE-SPAN-FLAGS`) to the context of the calling span; `None` if it is
/// malformed.
pub(super) fn parse_traceparent(text: &str) -> Option<SpanContext> {
    let mut parts = text.trim().split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |part: &str, length| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    // A later version may have further parts, and a reader takes those that it knows.
    let is_known = match version {
        "00" => parts.next().is_none(),
        "ff" => false,
        later => is_hex(later, 2),
    };
    if !is_known || !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let trace = TraceId::from_hex(trace).ok()?;
    let span = SpanId::from_hex(span).ok()?;
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?);
    Some(SpanContext::new(trace, span, flags, true, TraceState::NONE)).filter(SpanContext::is_valid)
}

#[cfg(test)]
mod tests {
    use super::parse_traceparent;

    #[test]
    fn only_a_whole_parent_is_taken() {
        let parent = parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        let parent = parent.expect("it is whole");
        assert_eq!(parent.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert!(parent.is_sampled() && parent.is_remote());
        let later = "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-further";
        assert!(!parse_traceparent(later).expect("its beginning is known").is_sampled());
        for text in [
            "",
            "00",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
            "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-ééééééééééééééééé-b7ad6b7169203331-01",
        ] {
            assert!(parse_traceparent(text).is_none(), "{text}");
        }
    }
}
