//! Packages in folders of their own, for the tests of readers and of documents.

use std::fs;

use stategraph_readme::package::IntegrationPackage;
use tempfile::TempDir;

pub(crate) const MANIFEST: &str = "\
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

pub(crate) const STREAM: &str = "\
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

/// Writes the files of a package and reads it.
pub(crate) fn load(files: &[(&str, &[u8])]) -> (TempDir, IntegrationPackage) {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let package = IntegrationPackage::load(folder.path()).unwrap();
    (folder, package)
}
