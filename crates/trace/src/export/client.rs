//! The HTTP client of the exporter. It blocks the exporter's own thread, not one of the program's. The time
//! and the size of an answer are limited.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::{Builder, Runtime};

use super::destination::Destination;

/// Maximum length of an answer that is read, in bytes. Answers to traces have a few.
const ANSWER_BYTES: usize = 64 << 10;

/// A function that makes the HTTP client for an address. It is called at the first batch, so that a short
/// offline run does not wait for certificates. The client must follow no redirect, because headers with a key
/// would follow too. The error is a reason.
pub type ClientMaker = fn(&reqwest::Url) -> Result<reqwest::Client, String>;

/// The reason why the newest lost batch was lost; `None` if none was. The exporter writes it, the pipeline
/// reads it at the end.
pub(super) type LastReason = Arc<Mutex<Option<String>>>;

/// The HTTP client for one collector. The exporter of OpenTelemetry sends its batches with it.
pub(super) struct CollectorClient {
    destination: Destination,
    timeout: Duration,
    make: ClientMaker,
    /// The runtime and the connections; `None` before the first batch. The exporter never sends two batches
    /// at once.
    opened: Mutex<Option<(Runtime, reqwest::Client)>>,
    reason: LastReason,
}

impl CollectorClient {
    pub(super) fn new(
        destination: Destination,
        timeout: Duration,
        make: ClientMaker,
        reason: LastReason,
    ) -> Self {
        Self { destination, timeout, make, opened: Mutex::new(None), reason }
    }

    /// Sends a batch and blocks until the answer or the timeout. The error is a reason.
    fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>, String> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.is_none() {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| format!("cannot start a runtime: {error}"))?;
            *opened = Some((runtime, (self.make)(self.destination.url())?));
        }
        let (runtime, client) = opened.as_ref().expect("it was set above");
        let limited = async { tokio::time::timeout(self.timeout, self.exchange(client, request)).await };
        let late = |_| format!("it did not answer within {:?}", self.timeout);
        runtime.block_on(limited).map_err(late).flatten()
    }

    /// Sends a batch with the destination's headers and reads the answer. Fails for a status other than
    /// success.
    async fn exchange(
        &self,
        client: &reqwest::Client,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, String> {
        let (parts, body) = request.into_parts();
        // Only what describes the body is taken from the exporter, because it adds the headers of variables that belong to another address.
        let mut headers = self.destination.headers.clone();
        for name in [CONTENT_TYPE, CONTENT_ENCODING] {
            if let Some(value) = parts.headers.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        let request = client.post(self.destination.url.clone()).headers(headers).body(body);
        let mut response = request.send().await.map_err(|error| describe(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(format!("it answered {status}"));
        }
        let mut answer = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| describe(&error))? {
            if answer.len() + chunk.len() > ANSWER_BYTES {
                return Err(format!("its answer has more than {ANSWER_BYTES} bytes"));
            }
            answer.extend_from_slice(&chunk);
        }
        let built = http::Response::builder().status(status).body(Bytes::from(answer));
        Ok(built.expect("a status and a body are a response"))
    }
}

/// Returns the innermost cause of an error, because the outer ones only repeat the address.
fn describe(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>, HttpError> {
        self.send(request).map_err(|reason| {
            *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.clone());
            reason.into()
        })
    }
}

impl fmt::Debug for CollectorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectorClient").field("destination", &self.destination).finish_non_exhaustive()
    }
}
