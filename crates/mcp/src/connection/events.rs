//! The requests and notifications of a server. We declare no capabilities, and `rmcp` declines by default: sampling would spend the user's
//! tokens, elicitation would put a stranger's questions before the user, and the list of roots stays empty.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};

/// The receiver of a server's own messages. Clones share the received ones.
#[derive(Clone, Default)]
pub(super) struct ServerEvents {
    list_changed: Arc<AtomicBool>,
}

impl ServerEvents {
    /// Returns true once for each group of notifications that the list of tools has changed. Nothing is counted, so a flood of them costs
    /// no memory.
    pub(super) fn take_list_changed(&self) -> bool {
        self.list_changed.swap(false, Ordering::Relaxed)
    }
}

impl ClientHandler for ServerEvents {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("stategraph", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.list_changed.store(true, Ordering::Relaxed);
    }
}
