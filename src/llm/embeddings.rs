//! Texts as vectors, for search by meaning. One interface; `openai` implements it.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::error::ModelError;
use super::model::ModelName;

/// Vectors under way; dropping it abandons the request.
pub type EmbedFuture<'a> = BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>>;

/// Something that turns texts into vectors: the nearer two meanings, the smaller the angle.
pub trait Embeddings: Send + Sync {
    /// Its name, as the user wrote it.
    fn name(&self) -> &ModelName;

    /// A vector for each text, in their order.
    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a>;
}

/// Embeddings whose kind no longer matters.
pub type SharedEmbeddings = Arc<dyn Embeddings>;
