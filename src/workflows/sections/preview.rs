//! Shows the document as a local page for a browser (SEC-144, SEC-198). The page runs no script and loads
//! nothing.

use std::fmt::Write as _;
use std::path::PathBuf;

use pulldown_cmark::{Event, Options, Parser, html};

use super::state::SectionsRun;
use crate::engine::NodeResult;
use crate::repo;

/// File name of the page.
const PAGE: &str = "preview.html";

/// Converts a Markdown document to an HTML page. HTML in the document is shown as text, because it may come
/// from outside.
pub(super) fn page(title: &str, document: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(document, options).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        event => event,
    });
    let mut body = String::new();
    html::push_html(&mut body, events);
    let mut escaped = String::new();
    for c in title.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            c => escaped.push(c),
        }
    }
    let mut page = String::from("<!doctype html>\n<meta charset=\"utf-8\">\n");
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let _ = writeln!(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    let _ = writeln!(page, "<title>{escaped}</title>\n<style>{STYLE}</style>\n{body}");
    page
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}\
                     table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25rem .5rem;text-align:left}\
                     pre,code{background:#f4f4f4}pre{padding:.75rem;overflow-x:auto}";

/// Writes the page into a new temporary folder and returns its `file://` address; `None` if that fails,
/// because a page that cannot be shown must not keep the document from being reviewed.
pub(super) async fn write_page(document: &str, run: &SectionsRun) -> NodeResult<Option<String>> {
    let text = page(&run.settings.doc_file, document);
    let written = tokio::task::spawn_blocking(move || -> Option<PathBuf> {
        let folder = tempfile::Builder::new().prefix("stategraph-preview-").tempdir().ok()?.keep();
        let path = folder.join(PAGE);
        repo::replace(&path, text.as_bytes()).ok()?;
        Some(path)
    });
    Ok(written.await?.map(|path| format!("file://{}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    // SEC-144
    #[test]
    fn markup_of_a_stranger_shows_as_text() {
        let page = page("<x>", "# A\n\n<script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"), "{page}");
        assert!(page.contains("<title>&lt;x&gt;</title>") && page.contains("<td>1</td>"), "{page}");
    }
}
