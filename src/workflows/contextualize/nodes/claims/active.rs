//! Parts of Markdown that a viewer loads or runs: scripts, frames, remote images, links that are programs. They have no place in a context
//! file. Decides by names of tags and by addresses; see `edits` for the removal.

/// Tags that load or run something, or that take input.
const TAGS: &[&str] = &[
    "script", "style", "iframe", "frame", "object", "embed", "img", "image", "svg", "link", "meta", "base",
    "form", "input", "button", "textarea", "video", "audio", "source", "track", "portal", "applet",
];
/// Tags whose names are also words of usages.
const PLACEHOLDERS: &[&str] =
    &["base", "button", "form", "frame", "image", "input", "link", "object", "source", "track"];
/// Tags whose content is for a machine.
const WITH_CONTENT: &[&str] = &["script", "style"];
/// Schemes of addresses that are programs or documents themselves.
const SCHEMES: &[&str] = &["javascript:", "vbscript:", "data:"];

/// Returns true if HTML has a tag that loads or runs something or takes input, an event handler, or a script
/// address.
pub(super) fn is_active(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    html.split('<').skip(1).any(|rest| {
        let tag = rest.trim_start_matches('/');
        let name = tag_name(tag);
        let attributes = tag[name.len()..].split('>').next().unwrap_or_default();
        // `<input>` without attributes is a placeholder of a usage.
        let is_placeholder = PLACEHOLDERS.contains(&name) && attributes.trim().is_empty();
        TAGS.contains(&name) && !is_placeholder
            || has_handler(attributes)
            || SCHEMES.iter().any(|it| attributes.contains(it))
            || loads_or_hides(attributes)
    })
}

/// Returns a line of HTML without its tags.
pub(super) fn without_tags(line: &str) -> String {
    let mut parts = line.split('<');
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    std::iter::once(first).chain(rest).collect()
}

/// Returns `script` or `style` if the HTML begins with that opening tag, whose content is for a machine.
pub(super) fn opens_content(html: &str) -> Option<&'static str> {
    let html = html.trim_start().strip_prefix('<')?.to_ascii_lowercase();
    WITH_CONTENT.iter().copied().find(|name| tag_name(&html) == *name)
}

/// Returns true if the HTML begins with the closing tag of `name`.
pub(super) fn closes_content(html: &str, name: &str) -> bool {
    let html = html.trim_start().to_ascii_lowercase();
    html.strip_prefix("</").is_some_and(|rest| tag_name(rest) == name)
}

/// Returns true for an image address that makes a viewer load or run something: another server, or a script
/// address.
pub(super) fn is_remote(address: &str) -> bool {
    let address = address.trim().to_ascii_lowercase();
    address.contains("://") || address.starts_with("//") || is_program(&address)
}

/// Returns true for an address with the scheme `javascript:`, `vbscript:` or `data:`.
pub(super) fn is_program(address: &str) -> bool {
    // Browsers ignore blanks and control characters in a scheme.
    let address: String = address.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let address = address.to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| address.starts_with(scheme))
}

/// Returns the text of a Markdown link or image: `[text](address)` → `text`; empty for other texts.
pub(super) fn text_of(link: &str) -> &str {
    let inner = link.trim_start_matches('!').strip_prefix('[').unwrap_or_default();
    let end = inner.rfind("](").or_else(|| inner.rfind("][")).or_else(|| inner.rfind(']'));
    end.map_or("", |end| &inner[..end])
}

/// Returns true for HTML attributes that load something (`background=`, `style="…url(…)"`), and for addresses
/// that are written with entities to hide their scheme.
fn loads_or_hides(attributes: &str) -> bool {
    const LOADING: &[&str] =
        &["src=", "srcset=", "background=", "poster=", "formaction=", "srcdoc=", "ping="];
    let bare: String = attributes.chars().filter(|c| !c.is_whitespace()).collect();
    LOADING.iter().any(|it| bare.contains(it))
        || bare.contains("style=") && (bare.contains("url(") || bare.contains("@import"))
        || SCHEMES.iter().any(|it| bare.contains(it))
        || bare.contains("href=") && (bare.contains("&#") || bare.contains("&colon") || bare.contains("&tab"))
}

fn tag_name(tag: &str) -> &str {
    &tag[..tag.bytes().take_while(u8::is_ascii_alphanumeric).count()]
}

/// Returns true if HTML attributes have an event handler such as `onload=`.
fn has_handler(attributes: &str) -> bool {
    let names = attributes.split(|c: char| c.is_whitespace() || c == '/' || c == '"' || c == '\'');
    names.filter_map(|name| name.strip_prefix("on")).any(|rest| {
        let name = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        name > 0 && (rest.len() == name || rest[name..].starts_with('='))
    })
}
