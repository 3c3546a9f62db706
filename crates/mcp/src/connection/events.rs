//! Handles the requests and notifications that a server sends to us. We declare no capabilities, and `rmcp`
//! declines requests by default: sampling would spend the user's tokens, elicitation would put a stranger's
//! questions before the user, and the list of roots stays empty.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};

/// Handler of the messages that an MCP server sends on its own, without a request. Remembers only that the
/// list of tools changed; clones share this flag.
#[derive(Clone, Default)]
pub(super) struct ServerEvents {
    list_changed: Arc<AtomicBool>,
}

impl ServerEvents {
    /// Returns true if the server has announced a change of its tool list since the last call, and resets
    /// the flag. Announcements are not counted, so a flood of them costs no memory.
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
