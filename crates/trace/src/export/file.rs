//! Writes batches to a file, each as a line of OTLP JSON (`ExportTraceServiceRequest`). Processes that append to one file do not mix their lines.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use stategraph_base::owner_only;
use stategraph_base::regular::{Links, open_as};

use super::client::LastReason;

/// An exporter that appends batches to a file. Only the owner can read the file, because it may hold prompts.
#[derive(Debug)]
pub(super) struct FileExporter {
    path: PathBuf,
    resource: ResourceAttributesWithSchema,
    file: Mutex<Option<File>>,
    reason: LastReason,
}

impl FileExporter {
    pub(super) fn new(path: PathBuf, reason: LastReason) -> Self {
        Self { path, resource: ResourceAttributesWithSchema::default(), file: Mutex::new(None), reason }
    }

    /// Appends a batch as one line; opens the file at the first.
    fn write(&self, batch: Vec<SpanData>) -> io::Result<()> {
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        let mut line = serde_json::to_vec(&ExportTraceServiceRequest { resource_spans })?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            *file = Some(open_to_append(&self.path)?);
        }
        file.as_mut().expect("it was set above").write_all(&line)
    }
}

/// Opens or creates the file. Fails for a link, because one in the working folder may come from a stranger.
fn open_to_append(path: &Path) -> io::Result<File> {
    open_as(owner_only::options().append(true).create(true), path, Links::Refused)
}

impl SpanExporter for FileExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.write(batch).map_err(|error| {
            *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
            OTelSdkError::InternalFailure(error.to_string())
        })
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.into();
    }
}
