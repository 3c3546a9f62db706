//! Hashes the sources of this crate. The hash is the version of what the crate extracts from files, so that parts stored by another
//! version are never read.

fn main() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rustc-env=STATEGRAPH_SOURCE_HASH={:016x}", stategraph_base::hash_sources(&folder));
}
