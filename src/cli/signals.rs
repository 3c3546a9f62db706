//! Handles Ctrl-C, SIGTERM and SIGHUP: the first signal stops the run at once and keeps everything saved so far, the second ends the program.
//! Also turns SIGXFSZ into a write error.

use std::io;

use super::exit::Exit;
use crate::engine::Stop;

/// Makes the first signal (Ctrl-C, SIGTERM, SIGHUP) cancel the run through `stop`, and the second one end
/// the process. Must be called inside a runtime; until then, signals have their default effect.
pub(super) fn stop_on_signals(stop: &Stop) -> io::Result<()> {
    let mut signals = Signals::new()?;
    let stop = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        stop.cancel();
        signals.next().await;
        std::process::exit(i32::from(Exit::Stopped.code()));
    });
    Ok(())
}

/// Makes a write beyond the file size limit (`ulimit -f`) return an error instead of ending the process, as
/// SIGXFSZ does by default. Must be called inside a runtime. Has an effect on Linux only.
pub(super) fn survive_file_size_limit() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // An installed handler is enough, and it stays installed after this value is dropped.
        signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
    }
    #[cfg(not(target_os = "linux"))]
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
