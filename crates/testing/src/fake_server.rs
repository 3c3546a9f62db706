//! A model server on loopback with the failures of real ones: broken connections, silence, slow pieces, HTML instead of JSON. Each request
//! has its own connection.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A running HTTP server on loopback that answers each request by a script ([`Play`]). Dropping it stops it.
pub struct FakeServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<RecordedRequest>>>,
    accepting: JoinHandle<()>,
}

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Method and path.
    pub line: String,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body; `null` when it is not JSON.
    pub body: Value,
    /// The body as it was sent.
    pub bytes: Vec<u8>,
}

/// The script by which the server answers one request, step by step. It ends with closing the connection.
#[derive(Clone, Debug, Default)]
pub struct Play(Vec<PlayStep>);

/// A step of a script.
#[derive(Clone, Debug)]
enum PlayStep {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Wait.
    Pause(Duration),
    /// Send nothing until the client closes the connection.
    Silence,
    /// Reset the connection and stop.
    Reset,
}

impl Play {
    /// Makes a script that sends a whole response with this content type and body.
    pub fn body(status: u16, content_type: &str, body: &str) -> Self {
        Self::with_headers(status, &[("content-type", content_type)], body)
    }

    /// Makes a script that sends a whole response with these headers and a `content-length`.
    pub fn with_headers(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let head = head(status, headers);
        Self::default().send(&format!("{head}content-length: {}\r\n\r\n{body}", body.len()))
    }

    /// Makes a script that sends a whole response with a JSON body.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::body(status, "application/json", &body.to_string())
    }

    /// Makes a script that sends a completion with this text, as one JSON body.
    pub fn says(text: &str) -> Self {
        Self::json(200, &completion(text))
    }

    /// Makes a script that sends the headers of an event stream. Further steps add its events.
    pub fn stream() -> Self {
        Self::default().send(&format!("{}\r\n", head(200, &[("content-type", "text/event-stream")])))
    }

    /// Makes a script that streams a completion with this text in pieces.
    pub fn streams(pieces: &[&str]) -> Self {
        let started = pieces.iter().fold(Self::stream(), |play, piece| play.piece(piece));
        let usage = json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } });
        started.end_of_text().event(&usage.to_string()).event("[DONE]")
    }

    /// Adds an event with a piece of the completion's text.
    pub fn piece(self, text: &str) -> Self {
        self.event(&json!({ "model": "fake-1", "choices": [{ "delta": { "content": text } }] }).to_string())
    }

    /// Adds the event that ends the text of a completion (`finish_reason`).
    pub fn end_of_text(self) -> Self {
        self.event(&json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }).to_string())
    }

    /// Adds a server-sent event with this data.
    pub fn event(self, data: &str) -> Self {
        self.send(&format!("data: {data}\n\n"))
    }

    /// Adds text that is sent as it is.
    pub fn send(mut self, text: &str) -> Self {
        self.0.push(PlayStep::Send(text.as_bytes().to_vec()));
        self
    }

    /// Adds a wait of this duration.
    pub fn pause(mut self, duration: Duration) -> Self {
        self.0.push(PlayStep::Pause(duration));
        self
    }

    /// Adds silence: the connection stays open without data until the client closes it.
    pub fn silence(mut self) -> Self {
        self.0.push(PlayStep::Silence);
        self
    }

    /// Adds a reset of the connection (RST).
    pub fn reset(mut self) -> Self {
        self.0.push(PlayStep::Reset);
        self
    }

    /// Cuts everything that is sent into pieces of at most `size` bytes, each written separately.
    pub fn in_pieces_of(self, size: usize) -> Self {
        let cut = |step| match step {
            PlayStep::Send(bytes) => bytes.chunks(size).map(|piece| PlayStep::Send(piece.to_vec())).collect(),
            other => vec![other],
        };
        Self(self.0.into_iter().flat_map(cut).collect())
    }

    /// Runs the steps on a connection.
    async fn perform(self, stream: &mut TcpStream) -> std::io::Result<()> {
        for step in self.0 {
            match step {
                PlayStep::Send(bytes) => {
                    stream.write_all(&bytes).await?;
                    stream.flush().await?;
                    tokio::task::yield_now().await;
                }
                PlayStep::Pause(duration) => tokio::time::sleep(duration).await,
                // Ends when the client closes the connection.
                PlayStep::Silence => drop(stream.read(&mut [0]).await?),
                PlayStep::Reset => return stream.set_zero_linger(),
            }
        }
        stream.shutdown().await
    }
}

/// Returns the status line and headers of a response, without the blank line that ends them.
fn head(status: u16, headers: &[(&str, &str)]) -> String {
    let lines: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n{}", lines.concat())
}

/// Returns a completion with this text, 7 prompt tokens and 3 completion tokens.
pub fn completion(text: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake-1",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 },
    })
}

impl FakeServer {
    /// Starts a server that plays the scripts in order, and the last one for all further requests.
    pub async fn playing(plays: Vec<Play>) -> Self {
        Self::answering(move |number, _| plays[number.min(plays.len() - 1)].clone()).await
    }

    /// Starts a server that calls `answer` with the number of each request, from 0, and the request, and
    /// plays the script it returns.
    pub async fn answering(answer: impl Fn(usize, &RecordedRequest) -> Play + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has free ports");
        let address = listener.local_addr().expect("a bound socket has an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (shared, answer) = (asked.clone(), Arc::new(answer));
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone(), answer.clone()));
            }
        });
        Self { address, asked, accepting }
    }

    /// Returns the base URL to configure a model provider with: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the URL of a path of the server.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.asked.lock().expect("no holder panics").clone()
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Reads one request from a connection, records it and plays the script for it.
async fn serve(
    mut stream: TcpStream,
    asked: Arc<Mutex<Vec<RecordedRequest>>>,
    answer: Arc<impl Fn(usize, &RecordedRequest) -> Play + Send + Sync + 'static>,
) {
    let Some(request) = read_request(&mut stream).await else { return };
    let number = {
        let mut asked = asked.lock().expect("no holder panics");
        asked.push(request.clone());
        asked.len() - 1
    };
    // Errors are ignored, because the client may have closed the connection.
    answer(number, &request).perform(&mut stream).await.ok();
}

/// Reads a request with its body; `None` if the client closes the connection before its end.
async fn read_request(stream: &mut TcpStream) -> Option<RecordedRequest> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while bytes.len() < end + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let bytes = bytes.split_off(end + 4);
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Some(RecordedRequest { line, headers, body, bytes })
}
