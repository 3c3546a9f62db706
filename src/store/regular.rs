//! Opens files of a store's folder, which are regular files and no links. A pipe or a device in their place is an error at once: to open
//! one may wait for ever, and what is written through a link lands elsewhere.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file that must be a regular one, as `options` say.
pub(super) fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe without a reader would keep whoever opens it.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    // Elsewhere the numbers of these flags are not known here.
    #[cfg(not(target_os = "linux"))]
    expect(path, fs::Metadata::is_file)?;
    let file = options.open(path).map_err(|error| refused(path, error))?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

/// Reads a file that must be a regular one.
pub(super) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut open_regular(OpenOptions::new().read(true), path)?, &mut bytes)?;
    Ok(bytes)
}

/// Fails when something else than what `fits` stands at a place, or a link to it.
#[cfg(any(feature = "sled", not(target_os = "linux")))]
pub(super) fn expect(path: &Path, fits: impl Fn(&fs::Metadata) -> bool) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !fits(&found) => Err(irregular()),
        // A file where a folder of the path should be is met, and told, by those who use it.
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

fn refused(path: &Path, error: io::Error) -> io::Error {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => irregular(),
        _ => error,
    }
}

fn irregular() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is a link, a pipe, a device or a folder, not a regular file",
    )
}
