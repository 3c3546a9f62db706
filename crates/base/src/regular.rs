//! Opens regular files only, and without waiting: a named pipe would wait for its other end, a device may never end, and a write through
//! a link changes another file. Knows no format.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Treatment of a symbolic link as the last component of a path that is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Opens the file that the link leads to: for paths that the user named.
    Followed,
    /// Fails at a link: for paths whose links were resolved before, so that a link found now was put there
    /// since.
    Refused,
}

/// Opens a regular file for reading. Fails without waiting if the path names anything else, such as a pipe.
pub fn open(path: &Path, links: Links) -> io::Result<File> {
    // The path is examined before it is opened, because opening some devices has effects.
    let found = match links {
        Links::Followed => fs::metadata(path)?,
        Links::Refused => fs::symlink_metadata(path)?,
    };
    require_regular(found.file_type())?;
    open_as(OpenOptions::new().read(true), path, links)
}

/// Opens a file with `options`, which may create it. Fails without waiting if the path names anything but a
/// regular file.
pub fn open_as(options: &mut OpenOptions, path: &Path, links: Links) -> io::Result<File> {
    // Elsewhere than on Linux the numbers of the flags are not known here.
    #[cfg(not(target_os = "linux"))]
    if links == Links::Refused {
        expect(path, fs::Metadata::is_file)?;
    }
    let file =
        without_waiting(options, links).open(path).map_err(|error| explain_error(path, links, error))?;
    // The path may name something else by now than when it was looked at.
    require_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Fails if something exists at the path and `fits` returns false for its metadata. A link is not followed:
/// `fits` gets the metadata of the link. A missing file, or a missing folder above it, is no failure.
pub fn expect(path: &Path, fits: impl Fn(&fs::Metadata) -> bool) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !fits(&found) => Err(irregular_error(found.file_type())),
        // A file in place of a folder of the path is no failure here, because the use of the path fails with that reason.
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Reads the beginning of a regular file: at most `most + 1` bytes. A result longer than `most` tells the
/// caller that the file is too long.
pub fn read_up_to(path: &Path, most: usize, links: Links) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, links)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the whole text of a regular file that the user named, through links. Fails if the file has more than
/// `most` bytes or is not UTF-8.
pub fn read_text(path: &Path, most: usize) -> io::Result<String> {
    let bytes = read_up_to(path, most, Links::Followed)?;
    if bytes.len() > most {
        let reason = format!("it has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Sets the flags that make the open call return at once for a pipe and, for [`Links::Refused`], fail at a
/// link.
#[cfg(target_os = "linux")]
fn without_waiting(options: &mut OpenOptions, links: Links) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = if links == Links::Refused { flags | OFlags::NOFOLLOW } else { flags };
    options.custom_flags(flags.bits().cast_signed())
}

/// Returns `options` unchanged: the flags are only known on Linux.
#[cfg(not(target_os = "linux"))]
fn without_waiting(options: &mut OpenOptions, _: Links) -> &mut OpenOptions {
    options
}

/// Returns the error of a failed open. If the path names something other than a regular file, the error names its kind instead ("it is a
/// named pipe, not a regular file").
fn explain_error(path: &Path, links: Links, error: io::Error) -> io::Error {
    match fs::symlink_metadata(path) {
        // A link that was followed is not the reason.
        Ok(found) if found.is_symlink() && links == Links::Followed => error,
        Ok(found) if !found.is_file() => irregular_error(found.file_type()),
        _ => error,
    }
}

/// Fails unless the file type is that of a regular file.
fn require_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() { Ok(()) } else { Err(irregular_error(kind)) }
}

/// Makes the error that a path names another kind of file: "it is a folder, not a regular file".
fn irregular_error(kind: FileType) -> io::Error {
    let reason = format!("it is {}, not a regular file", name_kind(kind));
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

/// Returns the name of a file type for a message, such as "a named pipe".
fn name_kind(kind: FileType) -> &'static str {
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
