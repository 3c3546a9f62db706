//! Requests for capabilities against the approvals of a user.

use std::path::{Path, PathBuf};

use stategraph_repo::ContentHash;
use stategraph_trust::{Capability, TrustError, TrustRequest, TrustStore};
use tempfile::TempDir;

/// A user whose home and working folder are temporary.
struct User {
    folder: TempDir,
}

impl User {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn file(&self, path: &str) -> PathBuf {
        std::fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        std::fs::write(self.at(path), "").unwrap();
        self.at(path)
    }

    fn store(&self) -> TrustStore {
        self.store_with(&[])
    }

    fn store_with(&self, variables: &[(&str, &str)]) -> TrustStore {
        let home = self.folder.path().to_str().unwrap().to_owned();
        TrustStore::of_user(|name| {
            let set =
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            set.or_else(|| (name == "HOME").then(|| home.clone()))
        })
    }
}

fn reading(file: &Path, variable: &str) -> TrustRequest {
    let mut request = TrustRequest::of(file);
    request.want(3, 5, variable_of(variable));
    request
}

fn variable_of(name: &str) -> Capability {
    Capability::ReadVariable { name: name.into(), purpose: "the key of `l`".into() }
}

#[test]
fn a_file_that_asks_for_nothing_needs_no_trust() {
    TrustStore::empty().check(&TrustRequest::of("config.yaml")).unwrap();
}

#[test]
fn a_refusal_names_file_line_capability_and_command() {
    let mut request = TrustRequest::of("my dir/config.yaml");
    request.want(7, 3, variable_of("AWS_SECRET_ACCESS_KEY"));
    let url = "http://127.0.0.1:9/v1".to_owned();
    request.want(2, 1, Capability::SendTo { provider: "openai".into(), url, key: Some("KEY".into()) });
    let error = TrustStore::empty().check(&request).unwrap_err();
    assert_eq!(
        error.to_string(),
        "my dir/config.yaml is not trusted yet. It asks to:\n\
         my dir/config.yaml:2:1: send the requests to `openai`, with the key in KEY, to http://127.0.0.1:9/v1\n\
         my dir/config.yaml:7:3: read the environment variable AWS_SECRET_ACCESS_KEY for the key of `l`"
    );
    assert_eq!(error.hint(), "if you trust it: `graph trust 'my dir/config.yaml'` allows this from now on");
}

#[test]
fn an_approval_is_of_one_file_and_of_its_capabilities_wherever_they_stand() {
    let user = User::new();
    let (file, other) = (user.file("a/config.yaml"), user.file("b/config.yaml"));
    user.store().check(&reading(&file, "KEY")).unwrap_err();
    user.store().allow(&reading(&file, "KEY")).unwrap();
    user.store().check(&reading(&file, "KEY")).unwrap();
    let mut moved = TrustRequest::of(&file);
    moved.want(30, 1, variable_of("KEY"));
    user.store().check(&moved).unwrap();
    user.store().check(&reading(&file, "OTHER_KEY")).unwrap_err();
    user.store().check(&reading(&other, "KEY")).unwrap_err();
    moved.want(31, 1, variable_of("ONE_MORE"));
    user.store().check(&moved).unwrap_err();
}

#[test]
fn the_value_of_a_header_is_part_of_the_approval_and_is_not_shown() {
    let user = User::new();
    let file = user.file("config.yaml");
    let request = |value: &str| {
        let mut request = TrustRequest::of(&file);
        let value = ContentHash::of(value.as_bytes());
        request.want(1, 1, Capability::SetHeader { provider: "l".into(), header: "X-Team".into(), value });
        request
    };
    user.store().allow(&request("one")).unwrap();
    user.store().check(&request("one")).unwrap();
    let error = user.store().check(&request("two")).unwrap_err().to_string();
    assert!(error.ends_with("config.yaml:1:1: set the header `X-Team` of requests to `l`"), "{error}");
}

#[test]
fn only_used_capabilities_need_trust() {
    let mut request = reading(Path::new("config.yaml"), "KEY");
    request.want(9, 1, Capability::WriteOutside { path: "/elsewhere".into() });
    let writes = |capability: &Capability| matches!(capability, Capability::WriteOutside { .. });
    TrustStore::empty().check_part(&request, |_| false).unwrap();
    TrustStore::empty().check_part(&request, writes).unwrap_err();
}

#[test]
fn files_in_the_users_configuration_folder_are_trusted_and_so_are_links_there() {
    let user = User::new();
    let own = user.file(".config/stategraph/graphs/mine.yaml");
    user.store().check(&reading(&own, "KEY")).unwrap();
    let elsewhere = user.file("xdg/stategraph/mine.yaml");
    user.store().check(&reading(&elsewhere, "KEY")).unwrap_err();
    let xdg = user.at("xdg").to_str().unwrap().to_owned();
    user.store_with(&[("XDG_CONFIG_HOME", &xdg)]).check(&reading(&elsewhere, "KEY")).unwrap();
    #[cfg(unix)]
    {
        let managed = user.file("dotfiles/linked.yaml");
        let link = user.at(".config/stategraph/linked.yaml");
        std::os::unix::fs::symlink(managed, &link).unwrap();
        user.store().check(&reading(&link, "KEY")).unwrap();
    }
    let outside = user.file(".config/stategraph-other/x.yaml");
    user.store().check(&reading(&outside, "KEY")).unwrap_err();
    let escaping = user.at(".config/stategraph/../stategraph-other/x.yaml");
    user.store().check(&reading(&escaping, "KEY")).unwrap_err();
}

#[test]
fn a_relative_state_folder_is_never_believed() {
    let user = User::new();
    let store =
        TrustStore::of_user(|name| (name.starts_with("XDG") || name == "HOME").then(|| "here".to_owned()));
    let error = store.allow(&reading(&user.file("config.yaml"), "KEY")).unwrap_err();
    assert!(matches!(error, TrustError::NoStateFolder), "{error}");
    assert!(error.hint().contains("set HOME"), "{}", error.hint());
}

#[test]
fn approvals_are_listed_and_revoked_by_file() {
    let user = User::new();
    let state = user.at("state").to_str().unwrap().to_owned();
    let store = user.store_with(&[("XDG_STATE_HOME", &state)]);
    assert_eq!(store.approvals().unwrap(), []);
    let (first, second) = (user.file("a.yaml"), user.file("b.yaml"));
    store.allow(&reading(&second, "KEY")).unwrap();
    store.allow(&reading(&first, "KEY")).unwrap();
    store.allow(&reading(&first, "OTHER")).unwrap();
    let listed: Vec<String> = store.approvals().unwrap().into_iter().map(|approval| approval.file).collect();
    let path = |file: &Path| file.canonicalize().unwrap().to_str().unwrap().to_owned();
    assert_eq!(listed, [path(&first), path(&first), path(&second)]);
    assert_eq!(store.revoke(&first).unwrap(), 2);
    store.check(&reading(&first, "KEY")).unwrap_err();
    store.check(&reading(&second, "KEY")).unwrap();
    assert_eq!(store.revoke(&first).unwrap(), 0);
    assert!(user.at("state/stategraph/trust").is_dir());
}

#[test]
fn trust_for_one_call_keeps_no_approval() {
    let user = User::new();
    let request = reading(&user.file("config.yaml"), "KEY");
    user.store().trusting_all().check(&request).unwrap();
    user.store().check(&request).unwrap_err();
    assert!(!user.at(".local").exists());
}

#[test]
fn what_a_stranger_wrote_does_not_reach_the_terminal_as_control_characters() {
    let mut request = TrustRequest::of("config.yaml");
    request.want(1, 1, variable_of("A\u{1b}[2K\u{9b}31m\nB"));
    let error = TrustStore::empty().check(&request).unwrap_err().to_string();
    assert!(error.ends_with("variable A\\u{1b}[2K\\u{9b}31m\\nB for the key of `l`"), "{error}");
}
