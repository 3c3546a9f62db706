//! Repositories for clones: made by `git`, and served over HTTP on this machine by `git http-backend`.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Runs `git` in a folder without the configuration of the user, and returns its output.
#[track_caller]
pub(super) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@example.org");
        command.env(format!("GIT_{role}_DATE"), "2024-01-15T10:30:00Z");
    }
    let done = command.args(arguments).output().unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A folder of repositories, `acme/shop` among them.
pub(super) struct Origin {
    folder: tempfile::TempDir,
}

impl Origin {
    /// Makes the repository `acme/shop` without commits.
    pub(super) fn empty() -> Self {
        let origin = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(origin.repo()).unwrap();
        git(&origin.repo(), &["init", "--quiet"]);
        // As GitHub does, for the commit of a resumed run.
        git(&origin.repo(), &["config", "uploadpack.allowAnySHA1InWant", "true"]);
        origin
    }

    /// Makes the repository `acme/shop` with one commit of these files.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let origin = Self::empty();
        files.iter().for_each(|(path, text)| stategraph_testing::put(&origin.repo(), path, text.as_bytes()));
        origin.commit();
        origin
    }

    /// Commits all files, and returns the id of the commit.
    pub(super) fn commit(&self) -> String {
        git(&self.repo(), &["add", "--all", "--force"]);
        git(&self.repo(), &["commit", "--quiet", "--allow-empty", "--message", "x"]);
        git(&self.repo(), &["rev-parse", "HEAD"])
    }

    pub(super) fn repo(&self) -> PathBuf {
        self.folder.path().join("acme/shop")
    }

    /// The address of the folder for clones without a server.
    pub(super) fn file_url(&self) -> String {
        format!("file://{}", self.folder.path().display())
    }
}

/// The behaviour of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Play {
    /// Serves the repositories.
    Serves,
    /// Asks for a password.
    AsksForPassword,
    /// Accepts connections and answers nothing.
    Silent,
}

/// A server that lives as long as the test.
pub(super) struct GitServer {
    pub(super) base_url: String,
    /// A message for each connection that its client closed without an answer.
    pub(super) closed: Receiver<()>,
}

impl GitServer {
    pub(super) fn start(origin: &Origin, play: Play) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let (tell, closed) = channel();
        let root = origin.folder.path().to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (root, tell) = (root.clone(), tell.clone());
                std::thread::spawn(move || answer(stream, &root, play, &tell));
            }
        });
        Self { base_url, closed }
    }
}

fn answer(mut stream: TcpStream, root: &Path, play: Play, tell: &Sender<()>) {
    let Some((line, headers, body)) = read_request(&stream) else { return };
    match play {
        Play::Serves => {
            let _ = stream.write_all(&serve(root, &line, &headers, &body));
        }
        Play::AsksForPassword => {
            let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n";
            let _ =
                stream.write_all(format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n").as_bytes());
        }
        Play::Silent => {
            // Returns when the client is gone.
            let _ = stream.read(&mut [0]);
            let _ = tell.send(());
        }
    }
}

/// Reads the first line, the headers and the body of a request.
fn read_request(stream: &TcpStream) -> Option<(String, BTreeMap<String, String>, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first, headers, body))
}

/// Answers with the output of `git http-backend`.
fn serve(root: &Path, line: &str, headers: &BTreeMap<String, String>, body: &[u8]) -> Vec<u8> {
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let header = |name: &str| headers.get(name).cloned().unwrap_or_default();
    let mut backend = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    backend.stdin.take().unwrap().write_all(body).unwrap();
    let output = backend.wait_with_output().unwrap().stdout;
    let end = output.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(0);
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let mut answer = format!("HTTP/1.1 {status}\r\nConnection: close\r\n").into_bytes();
    answer.extend_from_slice(&output);
    answer
}
