//! Ctrl-C and SIGTERM: the first stops the run at once, with everything saved so far kept; the second ends the program. A full
//! file is an error.

use std::io;

use super::exit::Exit;
use crate::engine::Stop;

/// Stops `stop` at the first signal. Must be called inside a runtime; before, signals do what they do to any program.
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

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail with an error, where the system would end the process. Must be called
/// inside a runtime.
pub(super) fn outlive_file_limit() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // That there is a handler is enough; it stays when this value is dropped.
        signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
    }
    #[cfg(not(target_os = "linux"))]
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
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
