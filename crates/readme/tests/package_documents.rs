//! Documents by rules of whole packages: settings, inputs and parts of a knowledge base are told where they hold, and nowhere else.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod folder;

use stategraph_readme::package::IntegrationPackage;
use stategraph_readme::rules::write_document;

use folder::{MANIFEST, STREAM, load};

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
