//! Packages are read as far as they go: every part may be missing, wrong or hostile.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod folder;

use std::fmt::Write as _;
use std::fs;

use serde_json::json;
use stategraph_readme::package::{
    BUILT_IN_TEMPLATE, IntegrationPackage, PackageError, PackagePlace, template_sections,
};
use tempfile::TempDir;

use folder::{MANIFEST, STREAM, load};

const GROUPS: &[u8] = b"\
- name: acme
  type: group
  fields:
    - name: gate
      type: group
      fields:
        - name: id
          type: keyword
          description: Id.
          unit: byte
          metric_type: gauge
";

fn defects(package: &IntegrationPackage) -> Vec<String> {
    package.defects.iter().map(|defect| format!("{}: {}", defect.path, defect.message)).collect()
}

// SEC-101
#[test]
fn a_whole_package_is_read_with_the_lines_of_its_declarations() {
    let (_folder, package) = load(&[
        ("manifest.yml", MANIFEST.as_bytes()),
        ("data_stream/log/manifest.yml", STREAM.as_bytes()),
        ("data_stream/log/fields/fields.yml", GROUPS),
        ("data_stream/log/fields/ecs.yml", b"- external: ecs\n  name: event.kind\n"),
        ("data_stream/log/sample_event.json", b"{\"event\": {\"kind\": \"event\"}}"),
        ("docs/knowledge_base/service_info.md", b"\xEF\xBB\xBF# Info\n"),
        ("docs/README.md", b"# Now\n"),
        ("kibana/dashboard/a.json", b"{}"),
        ("elasticsearch/transform/latest/transform.yml", b"a: 1\n"),
    ]);
    assert_eq!(package.defects, []);
    let manifest = &package.manifest;
    assert_eq!((manifest.title.as_str(), manifest.version.as_str()), ("Acme Gate", "1.10.0"));
    assert_eq!((manifest.kibana_version.as_str(), manifest.subscription.as_str()), ("^8.16.0", "basic"));
    let transforms: Vec<&str> = manifest.transforms.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((manifest.dashboards, transforms), (1, vec!["latest"]));
    assert_eq!(manifest.lines["conditions.kibana.version"], 10);
    let template = &manifest.policy_templates[0];
    assert_eq!(template.agentless, Some(true));
    assert_eq!(template.inputs[0].place, PackagePlace { path: "manifest.yml".into(), line: 20 });
    assert!(template.inputs[0].variables[0].is_secret);
    let stream = &package.data_streams[0];
    assert_eq!((stream.name.as_str(), stream.dataset.as_str()), ("log", "acme_gate.log"));
    assert_eq!(stream.inputs[0].variables[0].default, Some(json!(9010)));
    assert_eq!(stream.inputs[0].variables[0].place.line, 7);
    assert_eq!(stream.sample_event, Some(json!({"event": {"kind": "event"}})));
    let fields = stream.fields.iter();
    let fields: Vec<_> = fields.map(|field| (&*field.name, &*field.external, field.place.line)).collect();
    assert_eq!(fields, [("event.kind", "ecs", 1), ("acme.gate.id", "", 7)]);
    // SEC-28
    assert_eq!(package.service_info.as_deref(), Some("# Info\n"));
    assert_eq!(package.existing.as_deref(), Some("# Now\n"));
}

#[test]
fn an_empty_folder_is_a_package_with_a_defect_and_a_missing_folder_is_an_error_with_a_hint() {
    let (folder, package) = load(&[]);
    assert_eq!(defects(&package), ["manifest.yml: the package has no readable manifest"]);
    assert_eq!(package.template, BUILT_IN_TEMPLATE);
    // SEC-35
    assert!(
        package.service_info_for(Some("Overview")).contains("has no `docs/knowledge_base/service_info.md`")
    );
    let error = IntegrationPackage::load(&folder.path().join("none")).unwrap_err();
    assert!(matches!(error, PackageError::Folder(_)));
    assert!(error.hint().contains("manifest.yml"));
}

#[test]
fn a_value_of_the_wrong_type_costs_its_part_only() {
    let manifest = "\
name: [a]
title: Acme
version: 1.10
policy_templates:
  - 7
  - name: x
    inputs: {a: 1}
    data_streams: [log, {}]
";
    let (_folder, package) = load(&[
        ("manifest.yml", manifest.as_bytes()),
        ("data_stream/log/manifest.yml", b"- a list\n"),
        ("data_stream/log/fields/a.yml", b"- name: good\n  type: long\n- broken\n- type: long\n- name: {}\n"),
        ("data_stream/log/fields/b.yml", b"a: [\n"),
        ("data_stream/log/sample_event.json", b"[1]"),
        ("data_stream/two/sample_event.json", b"{\"a\": "),
    ]);
    assert_eq!((package.manifest.title.as_str(), package.manifest.version.as_str()), ("Acme", "1.10"));
    assert_eq!(package.manifest.policy_templates.len(), 1);
    assert_eq!(package.data_streams[0].fields.len(), 1);
    assert_eq!(package.data_streams.len(), 2);
    let found = defects(&package).join("\n");
    for part in [
        "manifest.yml: line 1: `name` is a list, not a text",
        "manifest.yml: line 5: an entry of `policy_templates` is a number, not a map",
        "manifest.yml: line 7: `inputs` is a map, not a list",
        "manifest.yml: line 8: `data_streams` is a map, not a list of texts",
        "data_stream/log/manifest.yml: line 1: it is a list, not a map",
        "data_stream/log/fields/a.yml: line 3: an entry of `fields` is a text, not a map",
        "data_stream/log/fields/a.yml: line 4: a field has no name",
        "data_stream/log/fields/b.yml: line",
        "data_stream/log/sample_event.json: it is JSON, but not an object",
        "data_stream/two/sample_event.json: line 1",
        "data_stream/two/manifest.yml: the data stream has no readable manifest",
    ] {
        assert!(found.contains(part), "{part} is missing in\n{found}");
    }
}

#[test]
fn hostile_files_are_bounded_and_reported() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        writeln!(bomb, "a{level}: &a{level} [{}]", vec![before; 9].join(", ")).unwrap();
    }
    let huge = vec![b'a'; 10 * 1024 * 1024];
    let deep = format!("- name: a\n  fields: {}", "[{name: b, fields: ".repeat(5_000));
    let deep_json = "{\"a\":".repeat(100_000);
    let paths = ["manifest.yml", "data_stream/log/manifest.yml", "data_stream/log/fields/f.yml"];
    for (name, text) in [
        ("huge", huge.as_slice()),
        ("bomb", bomb.as_bytes()),
        ("deep", deep.as_bytes()),
        ("latin", b"title: \xE9t\xE9\n".as_slice()),
        ("binary", b"\0\0\0".as_slice()),
    ] {
        let json = "data_stream/log/sample_event.json";
        let mut files = paths.map(|path| (path, text)).to_vec();
        files.push((json, deep_json.as_bytes()));
        let (_folder, package) = load(&files);
        let found = defects(&package);
        for path in paths.into_iter().chain([json]) {
            let start = format!("{path}: ");
            assert!(found.iter().any(|defect| defect.starts_with(&start)), "{name}: {path}: {found:?}");
        }
        assert!(found.iter().all(|defect| defect.len() < 400), "{name}: {found:?}");
        assert_eq!(package.data_streams.len(), 1);
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_package_are_defects_and_are_not_read() {
    use std::os::unix::fs::symlink;

    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("manifest.yml"), "title: Outside\n").unwrap();
    fs::write(outside.path().join("secret.md"), "a secret").unwrap();
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("docs/knowledge_base")).unwrap();
    fs::create_dir_all(folder.path().join("data_stream")).unwrap();
    let info = "docs/knowledge_base/service_info.md";
    symlink(outside.path().join("manifest.yml"), folder.path().join("manifest.yml")).unwrap();
    symlink(outside.path().join("secret.md"), folder.path().join(info)).unwrap();
    symlink(outside.path(), folder.path().join("data_stream/stolen")).unwrap();
    let package = IntegrationPackage::load(folder.path()).unwrap();
    assert_eq!(package.manifest.title, "");
    assert_eq!(package.service_info, None);
    assert_eq!(package.data_streams, []);
    let found = defects(&package).join("\n");
    for path in ["manifest.yml", info, "data_stream/stolen"] {
        assert!(found.contains(&format!("{path}: ")), "{path} is missing in\n{found}");
    }
}

// SEC-107
#[test]
fn required_sections_are_those_of_the_template() {
    let own = "# T\n\n## First part\n\n<!-- Do\nthis. -->\n\n### One\n\n### Agentless deployment\n\n\
               ```\n## no heading\n```\n\nSecond\n------\n";
    let (_folder, package) =
        load(&[("manifest.yml", b"title: A\n"), ("_dev/build/docs/README.template.md", own.as_bytes())]);
    let sections = template_sections(&package);
    let titles: Vec<_> =
        sections.iter().map(|section| (section.title.as_str(), section.parts.clone())).collect();
    assert_eq!(titles, [("First part", vec!["One".to_owned()]), ("Second", vec![])]);
    assert_eq!(sections[0].instruction.lines().next(), Some("Do this."));
    let (_folder, package) = load(&[("_dev/build/docs/README.template.md", b"No headings.\n")]);
    assert_eq!(template_sections(&package).len(), 7);
}

// SEC-125
#[test]
fn the_agentless_part_is_required_exactly_if_the_manifest_offers_it() {
    let deploy = |package: &IntegrationPackage| template_sections(package)[3].parts.clone();
    let (_folder, package) = load(&[("manifest.yml", MANIFEST.as_bytes())]);
    assert_eq!(
        deploy(&package),
        ["Agent-based deployment", "Agentless deployment", "Set up steps", "Validation"]
    );
    let without = MANIFEST.replace("enabled: true", "enabled: false");
    let (_folder, package) = load(&[("manifest.yml", without.as_bytes())]);
    assert_eq!(deploy(&package), ["Agent-based deployment", "Set up steps", "Validation"]);
}

#[test]
fn a_package_survives_json_and_may_be_partial() {
    let (_folder, package) =
        load(&[("manifest.yml", MANIFEST.as_bytes()), ("data_stream/log/manifest.yml", STREAM.as_bytes())]);
    let text = serde_json::to_string(&package).unwrap();
    assert_eq!(serde_json::from_str::<IntegrationPackage>(&text).unwrap(), package);
    let partial: IntegrationPackage = serde_json::from_value(json!({"manifest": {"title": "A"}})).unwrap();
    assert_eq!((partial.title(), template_sections(&partial).len()), ("A", 7));
}
