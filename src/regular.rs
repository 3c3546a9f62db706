//! Opens files for reading: regular ones only, and without waiting. A named pipe would wait for its writer, and a device may never
//! end. Knows no format.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// What opening does with a symbolic link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Opens the file that it leads to: for paths that the user named.
    Followed,
    /// Fails: for paths that were resolved before, so that a link there is new.
    Refused,
}

/// Opens a regular file; fails at once for everything else.
pub(crate) fn open(path: &Path, links: Links) -> io::Result<File> {
    // Asked first because opening some devices has effects.
    let found = match links {
        Links::Followed => fs::metadata(path)?,
        Links::Refused => fs::symlink_metadata(path)?,
    };
    is_regular(found.file_type())?;
    let file = options(links).open(path)?;
    // Asked again because the path may name something else by now.
    is_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file up to one byte more than `most`, which tells the caller that the file is too long.
pub(crate) fn read_up_to(path: &Path, most: usize, links: Links) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, links)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the text of a regular file that the user named; fails when it has more than `most` bytes.
pub(crate) fn read_text(path: &Path, most: usize) -> io::Result<String> {
    let bytes = read_up_to(path, most, Links::Followed)?;
    if bytes.len() > most {
        let reason = format!("it has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

#[cfg(target_os = "linux")]
fn options(links: Links) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    let flags = match links {
        Links::Followed => OFlags::NONBLOCK,
        Links::Refused => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
}

#[cfg(not(target_os = "linux"))]
fn options(_: Links) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

fn is_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let reason = format!("it is {}, not a regular file", described(kind));
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

fn described(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a link"
    } else {
        "something else"
    }
}
