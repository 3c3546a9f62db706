//! A stranger's folder, opened with keys in the environment: no request leaves, no file is written outside. A real server listens.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;

use tokio::process::Command;

use super::kit::{Done, Place, done};

const OPENAI: &str = "sk-the-key-of-openai";
const AWS: &str = "the-secret-of-aws";

/// A home with a stranger's folder in it, and the server that the stranger listens at.
struct Scene {
    place: Place,
    server: TcpListener,
}

impl Scene {
    /// `config` is written with `URL` as the address of the server.
    fn new(config: &str) -> Self {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        server.set_nonblocking(true).unwrap();
        let place = Place::new();
        let scene = Self { place, server };
        scene.place.write("home/.bashrc", "mine");
        scene.place.write("home/stranger/src/main.rs", "fn main() {}\n");
        scene.write("config.yaml", config);
        scene
    }

    fn url(&self) -> String {
        format!("http://{}/v1", self.server.local_addr().unwrap())
    }

    fn write(&self, name: &str, text: &str) {
        self.place.write(&format!("home/stranger/{name}"), text.replace("URL", &self.url()));
    }

    async fn ard(&self, arguments: &[&str]) -> Done {
        self.done(self.place.ard(arguments)).await
    }

    async fn graph(&self, arguments: &[&str]) -> Done {
        self.done(self.place.graph(arguments)).await
    }

    /// Runs a program in the stranger's folder with the keys of the user, and checks that it prints no key.
    async fn done(&self, mut command: Command) -> Done {
        command.current_dir(self.place.at("home/stranger")).env("HOME", self.place.at("home"));
        command.env("OPENAI_API_KEY", OPENAI).env("AWS_SECRET_ACCESS_KEY", AWS);
        let told = done(command).await;
        for secret in [OPENAI, AWS] {
            assert!(!told.err.contains(secret) && !told.out.contains(secret), "{}{}", told.out, told.err);
        }
        told
    }

    /// The program has ended: a connection that it made would stand in the queue.
    #[track_caller]
    fn assert_no_connection(&self) {
        let accepted = self.server.accept();
        assert_eq!(accepted.map(drop).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    }

    /// All files of the home, without those of the stranger's folder.
    fn outside(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        collect(&self.place.at("home"), &mut files);
        files.retain(|path, _| !path.contains("/stranger/"));
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else {
            files.insert(path.display().to_string(), std::fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

/// Configuration that `ard run` needs besides providers.
const DEBATE: &str = "max_iterations: 2\n";

const GRAPH: &str = "\
name: asking
state:
  answer: { type: string, default: none }
nodes:
  ask: { model: { prompt: Hello, offline: \"'none'\" }, to: answer }
edges:
  - { from: START, to: ask }
  - { from: ask, to: END }
";

#[tokio::test]
async fn no_key_leaves_a_strangers_folder_by_any_command() {
    let configs = [
        // A built-in provider is redirected: its key would go along.
        (
            "openai/gpt-4o",
            "providers:\n  openai:\n    base_url: URL\n",
            ":6:5: send the requests to `openai`, with the key in OPENAI_API_KEY, to http://127.0.0.1:",
        ),
        // A variable of the stranger's choice.
        (
            "l/x",
            "providers:\n  l:\n    base_url: URL\n    api_key_env: AWS_SECRET_ACCESS_KEY\n",
            ":7:5: read the environment variable AWS_SECRET_ACCESS_KEY for the key of `l`",
        ),
        // A header.
        (
            "l/x",
            "providers:\n  l:\n    base_url: URL\n    headers:\n      X-Team: a\n",
            ":8:7: set the header `X-Team` of requests to `l`",
        ),
    ];
    for (model, providers, wanted) in configs {
        let scene = Scene::new(&format!(
            "architect_model: {model}\nreviewer_model: {model}\n{DEBATE}{providers}output_path: spec.md\n"
        ));
        scene.write("asking.yaml", GRAPH);
        let before = scene.outside();
        let commands: [&[&str]; 5] = [
            &["run", "ard", "--idea", "A tin."],
            &["run", "doc-phases", ".", "-m", model],
            &["run", "doc-phases", ".", "--embeddings", model],
            &["run", "asking.yaml", "--model", model],
            &["run", "doc-phases", ".", "-m", model, "-k", "sk-typed"],
        ];
        let mut all = vec![scene.ard(&["run", "--idea", "A tin."]).await];
        for command in commands {
            all.push(scene.graph(command).await);
        }
        for told in all {
            let told = told.exits(2);
            assert!(told.err.contains("config.yaml is not trusted yet"), "{}", told.err);
            assert!(told.err.contains(wanted), "{wanted} in {}", told.err);
            assert!(
                told.err.contains("config.yaml` allows this from now on, `--trust` for one command"),
                "{}",
                told.err
            );
        }
        scene.assert_no_connection();
        assert_eq!(scene.outside(), before);
    }
}

#[tokio::test]
async fn a_stranger_cannot_have_a_remote_server_asked_without_a_key() {
    let scene = Scene::new("providers:\n  ollama: { base_url: \"https://127.0.0.1.example/v1\" }\n");
    let told = scene.graph(&["run", "doc-phases", ".", "-m", "ollama/x"]).await.exits(2);
    assert!(
        told.err.contains(":2:13: send the requests to `ollama` to https://127.0.0.1.example/v1"),
        "{}",
        told.err
    );
}

#[tokio::test]
async fn a_resume_in_a_strangers_folder_sends_no_key() {
    let scene = Scene::new("{}\n");
    // A thread that needs a model: the step limit leaves it open.
    std::fs::remove_file(scene.place.at("home/stranger/config.yaml")).unwrap();
    let told = scene.ard(&["run", "--idea", "A tin that counts. It is red.", "--step-limit", "1"]).await;
    let thread = told.thread();
    scene.write("config.yaml", "providers:\n  openai: { base_url: URL }\n");
    let told = scene.ard(&["resume", &thread]).await.exits(2);
    assert!(told.err.contains("config.yaml:2:13: send the requests to `openai`"), "{}", told.err);
    scene.assert_no_connection();
}

#[tokio::test]
async fn an_env_file_in_the_folder_changes_nothing() {
    let scene = Scene::new("providers: {}\n");
    std::fs::remove_file(scene.place.at("home/stranger/config.yaml")).unwrap();
    scene.write(
        ".env",
        "OPENAI_BASE_URL=URL\nOPENAI_API_BASE=URL\nOLLAMA_HOST=URL\nHTTP_PROXY=URL\nGEMINI_API_KEY=x\nARCHITECT_MODEL=l/x\n\
         OUTPUT_PATH=../.bashrc\nXDG_STATE_HOME=/stranger\nSTATEGRAPH_LOG=nonsense=\n",
    );
    let before = scene.outside();
    // A key that only the file sets is not there.
    let told = scene.graph(&["run", "doc-phases", ".", "-m", "gemini/x"]).await.exits(2);
    assert!(told.err.contains("the environment variable `GEMINI_API_KEY` is not set"), "{}", told.err);
    scene.ard(&["run", "--idea", "A tin that counts what is put into it."]).await.exits(0);
    assert!(scene.place.at("home/stranger/spec.md").is_file());
    scene.assert_no_connection();
    assert_eq!(scene.outside(), before);
}

#[tokio::test]
async fn a_graph_file_with_secrets_reads_no_variable_in_a_strangers_folder() {
    let scene = Scene::new("providers: {}\n");
    scene.write("asking.yaml", &GRAPH.replace("state:", "secrets:\n  token: AWS_SECRET_ACCESS_KEY\nstate:"));
    let before = scene.outside();
    scene.graph(&["run", "asking.yaml", "--allow-http", "*"]).await.exits(2);
    scene.assert_no_connection();
    assert_eq!(scene.outside(), before);
}

#[cfg(unix)]
#[tokio::test]
async fn a_configuration_that_is_a_pipe_is_refused() {
    let scene = Scene::new("providers: {}\n");
    let config = scene.place.at("home/stranger/config.yaml");
    std::fs::remove_file(&config).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&config).status().unwrap().success());
    let told = scene.ard(&["run", "--idea", "A tin."]).await.exits(2);
    assert!(told.err.contains("a named pipe, not a regular file"), "{}", told.err);
}

/// Configurations that lead the specification to `home/.bashrc`, with what is linked for it.
#[cfg(unix)]
#[tokio::test]
async fn no_specification_is_written_outside_a_strangers_folder() {
    use std::os::unix::fs::symlink;
    for (output, link) in [
        ("../.bashrc", None),
        ("src/../../.bashrc", None),
        ("nowhere/../../.bashrc", None),
        ("HOME/.bashrc", None),
        ("spec.md", Some(("../.bashrc", "spec.md"))),
        ("out/.bashrc", Some(("..", "out"))),
        ("out/../.bashrc", Some(("../stranger", "out"))),
        ("dangling.md", Some(("../created-by-link", "dangling.md"))),
    ] {
        let scene = Scene::new("");
        let home = scene.place.at("home").canonicalize().unwrap();
        let output = output.replace("HOME", home.to_str().unwrap());
        scene.write(
            "config.yaml",
            &format!("architect_model: offline\nreviewer_model: offline\n{DEBATE}output_path: {output}\n"),
        );
        if let Some((to, from)) = link {
            symlink(to, scene.place.at(&format!("home/stranger/{from}"))).unwrap();
        }
        let before = scene.outside();
        let told = scene.ard(&["run", "--idea", "A tin that counts what is put into it."]).await;
        if output == "out/../.bashrc" {
            // By name it is inside, and by name it is written: the link is not followed.
            told.exits(0);
        } else {
            let told = told.exits(2);
            assert!(told.err.contains("config.yaml:4:1: write "), "{output}: {}", told.err);
            assert!(told.err.contains("which is outside the working folder"), "{output}: {}", told.err);
        }
        assert_eq!(scene.outside(), before, "{output}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn no_checkpoint_is_written_through_a_strangers_link() {
    let scene = Scene::new("");
    std::fs::remove_file(scene.place.at("home/stranger/config.yaml")).unwrap();
    scene.place.write("home/private/notes", "mine");
    std::os::unix::fs::symlink("../private", scene.place.at("home/stranger/checkpoints")).unwrap();
    let before = scene.outside();
    let told = scene.ard(&["run", "--idea", "A tin."]).await.exits(2);
    assert!(told.err.contains("./checkpoints leads out of the working folder, to "), "{}", told.err);
    assert_eq!(scene.outside(), before);
    let named = ["run", "--idea", "A tin that counts what is put into it.", "--checkpoints", "./checkpoints"];
    scene.ard(&named).await.exits(0);
    assert_ne!(scene.outside(), before);
}

/// The same without a configuration: the default name is a link.
#[cfg(unix)]
#[tokio::test]
async fn a_link_at_the_default_place_is_followed_only_when_it_is_named() {
    let scene = Scene::new("");
    std::fs::remove_file(scene.place.at("home/stranger/config.yaml")).unwrap();
    std::os::unix::fs::symlink("../.bashrc", scene.place.at("home/stranger/spec.md")).unwrap();
    let before = scene.outside();
    let idea = ["run", "--idea", "A tin that counts what is put into it."];
    let told = scene.ard(&idea).await.exits(2);
    assert!(told.err.contains("spec.md: it leads out of the working folder, to "), "{}", told.err);
    assert!(told.err.contains("hint: to write it there, name the path: --output "), "{}", told.err);
    assert_eq!(scene.outside(), before);
    scene.ard(&[&idea[..], &["--output", "spec.md"]].concat()).await.exits(0);
    assert!(scene.place.read("home/.bashrc").contains("ending: not_judged"));
}
