//! Project files of .NET: name, description and packages. Properties with variables are not known.

use roxmltree::{Document, Node};

use super::{Manifest, ManifestMark, Scope, reason};

/// Packages that only projects of tests need.
const TEST_PACKAGES: &[&str] =
    &["Microsoft.NET.Test.Sdk", "MSTest.TestAdapter", "MSTest", "NUnit3TestAdapter"];

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let document = Document::parse(text.trim_start_matches('\u{feff}')).map_err(reason)?;
    let root = document.root_element();
    let property = |name: &str| {
        let node = root.descendants().find(|node| node.tag_name().name() == name && node.text().is_some())?;
        let text = node.text()?.trim();
        (!text.is_empty() && !text.contains("$(")).then(|| text.to_owned())
    };
    let file = found.path.rsplit('/').next().unwrap_or(&found.path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
    let name = property("PackageId").or_else(|| property("AssemblyName")).unwrap_or_else(|| stem.clone());
    found.version = property("Version").or_else(|| property("VersionPrefix"));
    found.description = property("Description");
    let is_program = property("OutputType").is_some_and(|kind| kind.ends_with("xe"))
        || root.attribute("Sdk").is_some_and(|sdk| sdk.ends_with(".Web") || sdk.ends_with(".Worker"));
    if is_program {
        found.programs.insert(name.clone(), "Program.cs".into());
    }
    found.name = Some(name);
    let is_test = root.descendants().any(|node| {
        node.tag_name().name() == "PackageReference"
            && node
                .attribute("Include")
                .is_some_and(|name| TEST_PACKAGES.iter().any(|known| name.eq_ignore_ascii_case(known)))
    }) || property("IsTestProject").is_some_and(|it| it.eq_ignore_ascii_case("true"));
    let is_sdk = root.attribute("Sdk").is_some_and(|sdk| sdk == "Microsoft.NET.Sdk");
    let kind = property("OutputType");
    // The SDK's default output is a library; a computed one is unknown.
    let is_plain = !root.descendants().any(|node| node.tag_name().name() == "OutputType");
    let is_library = kind.is_some_and(|kind| kind == "Library") || is_sdk && is_plain;
    found.mark(ManifestMark::Tests, is_test);
    found.mark(ManifestMark::Program, is_program && !is_test);
    found.mark(ManifestMark::Library, is_library && !is_program && !is_test);
    let is_package = |node: &Node| node.tag_name().name() == "PackageReference";
    for node in root.descendants().filter(is_package) {
        let Some(name) = node.attribute("Include") else { continue };
        // A package whose assets stay private is used to build only.
        let inner = |name: &str| node.children().find(|child| child.tag_name().name() == name);
        let assets = node.attribute("PrivateAssets").or_else(|| inner("PrivateAssets")?.text());
        let is_private = assets.is_some_and(|assets| assets.trim().eq_ignore_ascii_case("all"));
        let scope = if is_private { Scope::Build } else { Scope::Runtime };
        let version = node.attribute("Version").or_else(|| inner("Version")?.text());
        found.needs(scope, name, version.filter(|version| !version.contains("$(")));
    }
    Ok(())
}
