//! Files of one operating system.

/// Returns true for a file whose name ends in a system other than Linux, such as `fs_windows.rs`. A file
/// `windows.rs` does not count, because it may be about something else.
pub(super) fn is_of_other_system(path: &str) -> bool {
    const SYSTEMS: &[&str] = &[
        "windows",
        "win32",
        "darwin",
        "macos",
        "freebsd",
        "openbsd",
        "netbsd",
        "dragonfly",
        "bsd",
        "solaris",
        "illumos",
        "plan9",
        "aix",
        "android",
        "ios",
        "wasm",
        "haiku",
        "cygwin",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    SYSTEMS.iter().any(|system| stem.strip_suffix(system).is_some_and(|rest| rest.ends_with(['_', '-'])))
}

#[cfg(test)]
mod tests {
    use super::is_of_other_system;

    #[test]
    fn a_file_is_of_another_system_if_its_name_ends_with_one() {
        assert!(is_of_other_system("src/store_windows.go") && is_of_other_system("a-wasm.rs"));
        assert!(!["src/windows.rs", "src/ios.swift", "src/wasm.rs"].into_iter().any(is_of_other_system));
    }
}
