//! `graph trust` and `--trust`: what is allowed works, and only that.

use tokio::process::Command;

use super::kit::{Done, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

const SAID: &str =
    "<phase_complete>{\"findings_summary\": \"Nothing.\", \"confidence\": 0.5}</phase_complete>";

/// A folder whose configuration sends a key to a server on this machine.
struct Scene {
    place: Place,
    server: FakeServer,
}

impl Scene {
    async fn new() -> Self {
        let server = FakeServer::playing(vec![Play::says(SAID)]).await;
        let scene = Self { place: Place::new(), server };
        scene.place.write("shop/src/main.rs", "fn main() {}\n");
        scene.configure("shop", &scene.server.base_url(), "TEAM_KEY");
        scene
    }

    fn configure(&self, folder: &str, url: &str, variable: &str) {
        let config = format!("providers:\n  team: {{ base_url: \"{url}\", api_key_env: {variable} }}\n");
        self.place.write(&format!("{folder}/config.yaml"), config);
    }

    async fn done(&self, mut command: Command, folder: &str) -> Done {
        command.current_dir(self.place.at(folder)).env("HOME", self.place.path());
        command.env("TEAM_KEY", "sk-of-the-team").env("OTHER_KEY", "sk-of-others");
        done(command).await
    }

    async fn graph(&self, arguments: &[&str]) -> Done {
        self.done(self.place.graph(arguments), "shop").await
    }

    /// A run over the server, which rules end early: the answers store nothing.
    async fn explore(&self, more: &[&str]) -> Done {
        self.graph(&[&["run", "doc-phases", ".", "-m", "team/x"], more].concat()).await
    }

    fn keys(&self) -> Vec<String> {
        self.server.requests().iter().map(|asked| asked.headers["authorization"].clone()).collect()
    }
}

#[tokio::test]
async fn a_file_is_trusted_until_what_it_asks_for_changes_or_the_trust_is_revoked() {
    let scene = Scene::new().await;
    scene.explore(&[]).await.exits(2);
    let told = scene.graph(&["trust"]).await.exits(0);
    let lines: Vec<&str> = told.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", told.out);
    assert!(
        lines[0].starts_with(
            "config.yaml:2:11: send the requests to `team`, with the key in TEAM_KEY, to http://127.0.0.1:"
        ),
        "{}",
        told.out
    );
    assert_eq!(
        lines[1].split_once(" read ").unwrap().1,
        "the environment variable TEAM_KEY for the key of `team`"
    );
    assert_eq!(
        told.err,
        "config.yaml is trusted with this from now on; `graph trust --revoke config.yaml` revokes it\n"
    );
    scene.explore(&[]).await.exits(1);
    assert_eq!(scene.keys().first().unwrap(), "Bearer sk-of-the-team");

    // Everything else may change, and the lines may move.
    let config = scene.place.read("shop/config.yaml");
    scene.place.write("shop/config.yaml", format!("# Another model.\narchitect_model: team/y\n{config}"));
    scene.explore(&[]).await.exits(1);
    let asked = scene.keys().len();
    scene.configure("shop", &scene.server.base_url(), "OTHER_KEY");
    let told = scene.explore(&[]).await.exits(2);
    assert!(told.err.contains("read the environment variable OTHER_KEY"), "{}", told.err);
    assert_eq!(scene.keys().len(), asked);

    scene.configure("shop", &scene.server.base_url(), "TEAM_KEY");
    let told = scene.graph(&["trust", "--list"]).await.exits(0);
    let listed: Vec<&str> = told.out.lines().collect();
    assert!(listed[0].ends_with("/shop/config.yaml"), "{}", told.out);
    assert_eq!(listed[1], "  read the environment variable TEAM_KEY for the key of `team`");
    let told = scene.graph(&["trust", "--revoke"]).await.exits(0);
    assert_eq!(told.err, "config.yaml is no longer trusted\n");
    scene.explore(&[]).await.exits(2);
    assert_eq!(scene.graph(&["trust", "--list"]).await.exits(0).out, "");
    assert_eq!(scene.graph(&["trust", "--revoke"]).await.exits(0).err, "config.yaml was not trusted\n");
}

#[tokio::test]
async fn trust_of_one_folder_is_none_of_another() {
    let scene = Scene::new().await;
    scene.graph(&["trust", "config.yaml"]).await.exits(0);
    scene.configure("clone", &scene.server.base_url(), "TEAM_KEY");
    let run = scene.place.graph(["run", "doc-phases", "../shop", "-m", "team/x"]);
    let told = scene.done(run, "clone").await.exits(2);
    assert!(told.err.contains("/clone/config.yaml is not trusted yet"), "{}", told.err);
    assert_eq!(scene.keys(), [""; 0]);
}

#[tokio::test]
async fn a_script_trusts_for_one_command() {
    let scene = Scene::new().await;
    scene.explore(&["--trust"]).await.exits(1);
    assert_eq!(scene.keys().first().unwrap(), "Bearer sk-of-the-team");
    scene.explore(&[]).await.exits(2);
    assert!(!scene.place.at(".local").exists());
    // A script whose user has no home.
    let mut run = scene.place.graph(["run", "doc-phases", ".", "-m", "team/x", "--trust"]);
    run.current_dir(scene.place.at("shop")).env("TEAM_KEY", "sk-of-the-team");
    done(run).await.exits(1);
    let mut trust = scene.place.graph(["trust"]);
    trust.current_dir(scene.place.at("shop"));
    let told = done(trust).await.exits(2);
    assert!(told.err.contains("hint: set HOME, or use `--trust` for one command"), "{}", told.err);
}

#[tokio::test]
async fn a_file_that_is_named_or_in_the_users_configuration_folder_is_trusted() {
    let scene = Scene::new().await;
    scene.explore(&["--config", "config.yaml"]).await.exits(1);
    let asked = scene.keys().len();
    scene.configure(".config/stategraph", &scene.server.base_url(), "TEAM_KEY");
    let run = scene.place.graph(["run", "doc-phases", "../../shop", "-m", "team/x"]);
    scene.done(run, ".config/stategraph").await.exits(1);
    assert!(scene.keys().len() > asked);
}

#[tokio::test]
async fn a_server_on_this_machine_without_key_and_header_needs_no_trust() {
    let scene = Scene::new().await;
    let config = format!("providers:\n  team: {{ base_url: \"{}\" }}\n", scene.server.base_url());
    scene.place.write("shop/config.yaml", config);
    scene.explore(&[]).await.exits(1);
    let told = scene.graph(&["trust"]).await.exits(0);
    assert_eq!(
        (told.out.as_str(), told.err.as_str()),
        ("", "config.yaml requests nothing that needs an approval\n")
    );
    assert!(scene.server.requests().iter().all(|asked| !asked.headers.contains_key("authorization")));
}

#[tokio::test]
async fn a_file_that_is_not_there_or_no_yaml_is_told() {
    let scene = Scene::new().await;
    let told = scene.graph(&["trust", "no.yaml"]).await.exits(2);
    assert!(told.err.contains("cannot read the configuration no.yaml"), "{}", told.err);
    scene.place.write("shop/graph.yaml", "name: x\nnodes: {}\n");
    let told = scene.graph(&["trust", "graph.yaml"]).await.exits(2);
    assert!(told.err.contains("graph.yaml:"), "a broken graph file is told as one: {}", told.err);
    scene.graph(&["new", "mine"]).await.exits(0);
    let told = scene.graph(&["trust", "mine.yaml"]).await.exits(0);
    assert_eq!(told.err, "mine.yaml requests nothing that needs an approval\n");
    scene.place.write("shop/broken.yaml", "a: [");
    scene.graph(&["trust", "broken.yaml"]).await.exits(2);
}

#[cfg(unix)]
#[tokio::test]
async fn approvals_are_readable_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new().await;
    scene.graph(&["trust"]).await.exits(0);
    let mode = |path: std::path::PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = scene.place.at(".local/state/stategraph/trust");
    assert_eq!(mode(folder.clone()), 0o700);
    let kept: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.into_iter().map(mode).collect::<Vec<_>>(), [0o600]);
}
