//! Packages are read as far as they go: every part may be missing, wrong or hostile.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fmt::Write as _;
use std::fs;

use serde_json::json;
use stategraph_readme::package::{
    BUILT_IN_TEMPLATE, IntegrationPackage, PackageError, PackagePlace, template_sections,
};
use stategraph_readme::rules::write_document;
use tempfile::TempDir;

const MANIFEST: &str = "\
format_version: 3.1.0
name: acme_gate
title: Acme Gate
version: 1.10.0
description: Collects logs of Acme Gate.
type: integration
categories: [security, network]
conditions:
  kibana:
    version: ^8.16.0
  elastic:
    subscription: basic
policy_templates:
  - name: gate
    title: Gate logs
    deployment_modes:
      agentless:
        enabled: true
    inputs:
      - type: tcp
        title: Logs over TCP
        vars:
          - name: api_key
            type: password
            title: Key
            required: true
            default: sk-not-for-documents
";

const STREAM: &str = "\
title: Gate log
type: logs
streams:
  - input: tcp
    title: TCP
    vars:
      - name: listen_port
        type: integer
        title: Port
        default: 9010
        show_user: true
";

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

/// Writes the files of a package and reads it.
fn load(files: &[(&str, &[u8])]) -> (TempDir, IntegrationPackage) {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let package = IntegrationPackage::load(folder.path()).unwrap();
    (folder, package)
}

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

const TWO_INPUTS: &[u8] = b"\
title: Gate log
type: logs
streams:
  - input: tcp
    vars:
      - { name: listen_port, type: integer, required: true }
      - { name: tags, type: text }
      - { name: old_mode, type: bool }
      - { name: ssl, type: yaml }
      - { name: processors, type: yaml }
  - input: udp
    enabled: false
    vars:
      - { name: data_stream.dataset, type: text }
";

const TEMPLATE: &str = "\
port: {{listen_port}}
{{! old_mode went away }}
{{#each tags as |tag|}}{{tag}}{{/each}}
{{#if ssl}}{{ssl}}{{/if}}
{{#if processors}}{{processors}}{{/if}}
";

// SEC-101
#[test]
fn inputs_that_are_off_and_settings_without_effect_are_known() {
    let unused = |package: &IntegrationPackage| -> Vec<String> {
        let inputs = package.data_streams[0].inputs.iter().flat_map(|input| &input.variables);
        inputs.filter(|variable| variable.is_unused).map(|variable| variable.name.clone()).collect()
    };
    let manifest = ("data_stream/log/manifest.yml", TWO_INPUTS);
    let template = "data_stream/log/agent/stream/tcp.yml.hbs";
    let (_folder, package) = load(&[manifest, (template, TEMPLATE.as_bytes())]);
    assert_eq!(unused(&package), ["old_mode"]);
    assert_eq!(
        package.data_streams[0].inputs.iter().map(|input| input.is_off).collect::<Vec<_>>(),
        [false, true]
    );
    let document = write_document(&package).markdown;
    assert!(document.contains("Off by default: the UDP input of `log`."), "{document}");
    assert!(
        document.contains("| It has no effect, because no configuration of the agent uses it. |"),
        "{document}"
    );

    // Nothing is known without a template, from one that cannot be read, and from one that forgets a required setting or many.
    let unfinished = TEMPLATE.replace("{{listen_port}}", "9000");
    for files in [
        vec![manifest],
        vec![manifest, (template, b"\xff{{port}}")],
        vec![manifest, (template, unfinished.as_bytes())],
        vec![manifest, (template, b"{{listen_port}}")],
    ] {
        assert_eq!(unused(&load(&files).1), Vec::<String>::new());
    }
}

// SEC-101
#[test]
fn dashboards_without_panels_and_missing_pipelines_are_promised_nothing() {
    let dashboard = |title: &str, panels: &str| {
        format!(r#"{{"attributes":{{"title":"{title}","panelsJSON":{panels}}}}}"#)
    };
    let (full, empty) = (dashboard("Traffic", r#""[{}]""#), dashboard("Threats", r#""[]""#));
    let stream = ("data_stream/log/manifest.yml", STREAM.as_bytes());
    let files = [
        ("manifest.yml", MANIFEST.as_bytes()),
        stream,
        ("kibana/dashboard/a.json", full.as_bytes()),
        ("kibana/dashboard/b.json", empty.as_bytes()),
    ];
    let document = write_document(&load(&files).1).markdown;
    assert!(document.contains("- **Traffic**\n") && !document.contains("Threats"), "{document}");
    assert!(
        document.contains("select the dashboard **Traffic**, and check that it shows data"),
        "{document}"
    );
    assert!(!document.contains("ingest pipeline"), "{document}");
    for (text, is_told) in
        [("description: x", false), ("on_failure:\n  - set: { field: error.message }\n", true)]
    {
        let path = "data_stream/log/elasticsearch/ingest_pipeline/default.yml";
        let document = write_document(&load(&[stream, (path, text.as_bytes())]).1).markdown;
        let told = document.contains("The collection or the ingest pipeline failed for the event");
        assert_eq!(told, is_told, "{document}");
    }
}

// SEC-101
#[test]
fn changes_transforms_choices_and_switches_are_told() {
    let manifest = "name: gate\nvars:\n  - { name: site, type: text }\n\
        policy_templates:\n  - name: gate\n    inputs:\n      - { type: aws-s3, title: Collect from S3, vars: [{ name: by_bucket, type: bool }] }\n";
    let stream = "title: Log\ntype: logs\nstreams:\n  - input: aws-s3\n    vars:\n\
        \x20     - { name: arn, type: text }\n      - { name: queue, type: text }\n\
        \x20     - { name: mode, type: select, options: [{ text: By line, value: line }, { value: whole }] }\n";
    let template = "{{site}}{{#if by_bucket}}{{arn}}{{else}}{{queue}}{{/if}}{{mode}}";
    let other =
        "title: Other\ntype: logs\nstreams:\n  - input: aws-s3\n    vars: [{ name: arn, type: text }]\n";
    let changelog = "- version: 2.0.0\n  changes:\n    - { type: breaking-change, description: Keys are needed }\n\
        \x20   - { type: bugfix, description: A small one }\n- version: 1.0.0\n  changes:\n    - { type: breaking-change, description: No more files }\n";
    let transform = "description: Last state of each host\ndest:\n  index: a-1\n  aliases:\n    - alias: latest\nfrequency: 30m\n\
        retention_policy:\n  time: { max_age: 72h }\n";
    let files = [
        ("manifest.yml", manifest.as_bytes()),
        ("data_stream/log/manifest.yml", stream.as_bytes()),
        ("data_stream/log/agent/stream/s3.yml.hbs", template.as_bytes()),
        ("data_stream/other/manifest.yml", other.as_bytes()),
        ("data_stream/other/agent/stream/s3.yml.hbs", b"{{arn}}"),
        ("changelog.yml", changelog.as_bytes()),
        ("elasticsearch/transform/hosts/transform.yml", transform.as_bytes()),
    ];
    let document = write_document(&load(&files).1).markdown;
    for told in [
        "- `2.0.0`: Keys are needed.\n- `1.0.0`: No more files.\n\n<!-- source: changelog.yml:3, 7 -->",
        "The package has the transform `hosts`: Last state of each host. Query its results as `latest`; it looks for new data every `30m`. Documents that are older than `72h` are removed there.",
        "| site | `site` | It has no effect on the data stream `other`. |",
        "| arn | `arn` | It has an effect only while `by_bucket` is on. |",
        "| queue | `queue` | It has an effect only while `by_bucket` is off. |",
        "| mode | `mode` | Choices: By line (`line`) and `whole`. |",
        "Enter the settings of **Collect from S3**.",
    ] {
        assert!(document.contains(told), "{told}\n{document}");
    }
    assert!(!document.contains("A small one"), "{document}");
}

// SEC-28
#[test]
fn a_product_without_steps_gets_the_ports_that_it_sends_to() {
    let stream = "title: Log\ntype: logs\nstreams:\n  - input: tcp\n    vars: [{ name: listen_port, type: integer, default: 9514 }]\n\
        \x20 - input: udp\n    enabled: false\n    vars: [{ name: listen_port, type: integer, default: 9515 }]\n";
    let files = [("manifest.yml", MANIFEST.as_bytes()), ("data_stream/log/manifest.yml", stream.as_bytes())];
    let document = write_document(&load(&files).1).markdown;
    for told in [
        "- The data of `log` over TCP: to the port of `listen_port`, by default `9514`.",
        "- The data of `log` over UDP (off by default): to the port of `listen_port`, by default `9515`.",
    ] {
        assert!(document.contains(told), "{told}\n{document}");
    }
}

// SEC-101
#[test]
fn what_holds_for_some_inputs_is_not_told_of_all() {
    let manifest = "name: gate\npolicy_templates:\n  - name: gate\n\
        \x20   deployment_modes: { agentless: { enabled: true, release: beta } }\n\
        \x20   inputs: [{ type: tcp, deployment_modes: [default] }, { type: udp, deployment_modes: [default] }, { type: cel }]\n";
    let log = "title: Log\ntype: logs\nrelease: beta\nstreams:\n\
        \x20 - { input: tcp, vars: [{ name: listen_address, default: localhost }] }\n\
        \x20 - { input: udp, vars: [{ name: listen_address, default: 0.0.0.0 }] }\n";
    let call = "title: Call\ntype: logs\nstreams:\n  - { input: cel, vars: [{ name: key_id, required: true }, { name: interval, default: 5m }] }\n";
    let other = "title: Other\ntype: logs\nstreams:\n  - { input: cel, vars: [{ name: key_id }] }\n";
    let files = [
        ("manifest.yml", manifest.as_bytes()),
        ("data_stream/log/manifest.yml", log.as_bytes()),
        ("data_stream/call/manifest.yml", call.as_bytes()),
        ("data_stream/other/manifest.yml", other.as_bytes()),
    ];
    let document = write_document(&load(&files).1).markdown;
    for told in [
        "The default of `listen_address` of the TCP input of `log` is `localhost`.",
        "| The TCP input of `log` | The agent is healthy, but no events arrive from other hosts. |",
        "- **key_id** (`key_id`), if you use the Common Expression Language input of `call`",
        "The data stream `log` is in beta.",
        "The agentless deployment of the integration is in beta.",
        "The agentless deployment does not offer the TCP input, the UDP input or data of `log`.",
        "These settings are about the time between requests:",
        "For the agent-based deployment, start with the logs",
    ] {
        assert!(document.contains(told), "{told}\n{document}");
    }
}

// SEC-101
#[test]
fn settings_belong_to_their_own_template_and_to_the_streams_of_their_part() {
    let manifest = "name: gate\ntitle: Gate\npolicy_templates:\n  - name: calls\n    title: Calls\n    data_streams: [cdr]\n\
        \x20   inputs: [{ type: tcp, vars: [{ name: listen_port, type: integer, default: 9531 }, { name: listen_address, default: localhost }] }]\n\
        \x20 - name: platform\n    title: Platform\n    data_streams: [platform]\n    inputs: [{ type: udp }]\n";
    let cdr = "title: Calls\ntype: logs\nstreams:\n  - { input: tcp }\n";
    let platform = "title: Platform\ntype: logs\nstreams:\n\
        \x20 - { input: udp, template_path: udp.yml.hbs, vars: [{ name: syslog_host, default: 0.0.0.0 }, { name: batch }, { name: mode }] }\n";
    let files = [
        ("manifest.yml", manifest.as_bytes()),
        ("data_stream/cdr/manifest.yml", cdr.as_bytes()),
        ("data_stream/cdr/agent/stream/tcp.yml.hbs", b"{{listen_port}}{{listen_address}}"),
        ("data_stream/platform/manifest.yml", platform.as_bytes()),
        ("data_stream/platform/agent/stream/udp.yml.hbs", b"{{syslog_host}}{{mode}}"),
        ("data_stream/platform/agent/stream/tcp.yml.hbs", b"{{batch}}"),
    ];
    let (_, package) = load(&files);
    let unused: Vec<&str> =
        package.variables().filter(|variable| variable.is_unused).map(|it| it.name.as_str()).collect();
    assert_eq!(unused, ["batch"]);
    let document = write_document(&package).markdown;
    for told in [
        "| `cdr` | TCP | `listen_port` | `9531` |",
        "- The data of `cdr` over TCP: to the port of `listen_port`, by default `9531`.",
        "The default of `listen_address` of the TCP input of `cdr` is `localhost`.",
        "#### Settings of the TCP input of Calls",
    ] {
        assert!(document.contains(told), "{told}\n{document}");
    }
}

// SEC-101
#[test]
fn many_inputs_of_one_large_template_read_it_once() {
    let inputs = (0..80).fold(String::new(), |text, at| {
        text + &format!("  - {{ input: in{at}, template_path: s.yml.hbs, vars: [{{ name: v }}] }}\n")
    });
    let stream = format!("title: Log\ntype: logs\nstreams:\n{inputs}");
    let template = format!("{{{{v}}}}{}", "x".repeat(900_000));
    let files = [
        ("manifest.yml", MANIFEST.as_bytes()),
        ("data_stream/log/manifest.yml", stream.as_bytes()),
        ("data_stream/log/agent/stream/s.yml.hbs", template.as_bytes()),
    ];
    let (_, package) = load(&files);
    assert_eq!(package.defects, []);
    assert!(package.variables().all(|variable| !variable.is_unused));
}

// SEC-101
#[test]
fn streams_that_differ_in_their_templates_have_tables_of_their_own() {
    let manifest = "name: gate\npolicy_templates:\n  - name: gate\n    inputs: [{ type: aws-s3, vars: [{ name: by_bucket, type: bool }] }]\n";
    let stream = "title: Log\ntype: logs\nstreams:\n  - { input: aws-s3, vars: [{ name: arn }] }\n";
    let files = [
        ("manifest.yml", manifest.as_bytes()),
        ("data_stream/audit/manifest.yml", stream.as_bytes()),
        ("data_stream/audit/agent/stream/s.yml.hbs", b"{{#if by_bucket}}{{arn}}{{/if}}"),
        ("data_stream/seat/manifest.yml", stream.as_bytes()),
        ("data_stream/seat/agent/stream/s.yml.hbs", b"{{arn}}"),
    ];
    let document = write_document(&load(&files).1).markdown;
    for told in [
        "input for the data stream `audit`\n\n| Setting | Variable | Description | Default | Required | Secret |\n| --- | --- | --- | --- | --- | --- |\n| arn | `arn` | It has an effect only while `by_bucket` is on. |",
        "input for the data stream `seat`\n\n| Setting | Variable | Description | Default | Required | Secret |\n| --- | --- | --- | --- | --- | --- |\n| arn | `arn` | – |",
    ] {
        assert!(document.contains(told), "{told}\n{document}");
    }
}

// SEC-28
#[test]
fn a_part_of_the_knowledge_base_that_is_all_wrong_leaves_no_heading() {
    let info = "# Gate\n\nA gate.\n\n# In Kibana\n\nElastic Stack 8.1 or later.\n\n# Using Splunk instead\n\nInstall the app for Splunk version 9.1 or later.\n";
    let files =
        [("manifest.yml", MANIFEST.as_bytes()), ("docs/knowledge_base/service_info.md", info.as_bytes())];
    let document = write_document(&load(&files).1).markdown;
    assert_eq!(document.matches("In Kibana, open **Management > Integrations**.").count(), 1, "{document}");
    for gone in ["8.1 or later", "Splunk", "### In Kibana"] {
        assert!(!document.contains(gone), "{gone}\n{document}");
    }
}
