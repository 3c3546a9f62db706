//! Names of tools as models and graph files write them: `mcp__server__tool`, in the characters and the length that endpoints accept.

use stategraph_agent::FOREIGN_PREFIX;
use stategraph_agent::limit::TOOL_NAME_BYTES;
use stategraph_repo::ContentHash;

/// Maximum number of bytes of a portable server name; it leaves room for the name of a tool.
const SERVER_BYTES: usize = 24;

/// Number of hash digits at the end of a shortened name.
const HASH_DIGITS: usize = 8;

/// Returns the portable form of an MCP server's name, for use in tool names: characters other than ASCII
/// letters, digits and `-` become `_`, several `_` in a row become one (because `__` separates server and
/// tool), and a long name is shortened. `my.server` → `my_server`.
pub(crate) fn portable(name: &str) -> String {
    let mut short = String::new();
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        if c != '_' || !short.ends_with('_') {
            short.push(c);
        }
    }
    let short = short.trim_matches('_');
    shorten(if short.is_empty() { "server" } else { short }, name, SERVER_BYTES)
}

/// Returns the full name of a tool, `mcp__server__tool`, for a server with this portable name. Characters
/// that endpoints refuse become `_`.
pub(crate) fn tool_name(server: &str, tool: &str) -> String {
    let plain: String = tool
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' })
        .collect();
    shorten(&format!("{FOREIGN_PREFIX}{server}__{plain}"), tool, TOOL_NAME_BYTES)
}

/// Splits the full name or pattern of a tool into the portable name of the server and the name of the tool:
/// `mcp__git__log` → `git`, `log`. Returns `None` for any other form.
pub(crate) fn split(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(FOREIGN_PREFIX)?
        .split_once("__")
        .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// Cuts an ASCII name to `limit` bytes. A cut name ends with a hash of `whole`, so that two long names stay
/// different.
fn shorten(name: &str, whole: &str, limit: usize) -> String {
    if name.len() <= limit {
        return name.to_owned();
    }
    let hash = ContentHash::of(whole.as_bytes()).to_string();
    let beginning = name[..limit - HASH_DIGITS - 1].trim_end_matches('_');
    format!("{beginning}_{}", &hash[..HASH_DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_characters_and_the_length_that_endpoints_accept() {
        assert_eq!(tool_name(&portable("my server__x"), "read.file"), "mcp__my_server_x__read_file");
        assert_eq!(split("mcp__my_server_x__read_file"), Some(("my_server_x", "read_file")));
        assert_eq!(split("mcp__git__git__log"), Some(("git", "git__log")));
        assert_eq!(split("mcp__git"), None);
        let long = tool_name(&portable(&"s".repeat(100)), &"é".repeat(100));
        assert!(long.len() <= TOOL_NAME_BYTES && long.is_ascii(), "{long}");
        assert_ne!(long, tool_name(&portable(&"s".repeat(100)), &"é".repeat(101)));
        assert_eq!(portable("日本"), "server");
    }
}
