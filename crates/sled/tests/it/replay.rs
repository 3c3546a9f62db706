//! What is left of a folder when the power is cut at some point of a record made by `tests/crash/shim.c`.
//!
//! Kept is what was synced; of each page of 4 KiB that was written since, a random beginning of the writes to it, the last of
//! them torn anywhere; of the changes of a file's length and of a folder's names since its sync, a random beginning. So data of
//! a file may be there without its length, later pages without earlier ones, and files without names.
//!
//! A sync that failed leaves some pages as they were on the disk, and clean: processes go on to see what was written, and no later
//! sync writes it, unless something is written to the page again. A page that a file got and that was not written holds what stood
//! there before: zeros, or a page of this file or another one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fastrand::Rng;

const PAGE: u64 = 4096;

const PAGE_LEN: usize = 4096;

/// One change, or a sync.
#[derive(Debug, Clone)]
pub(super) enum Op {
    Create {
        folder: u64,
        inode: u64,
        name: String,
        kind: Kind,
    },
    Rename {
        folder: u64,
        from: String,
        to: String,
    },
    Remove {
        folder: u64,
        name: String,
    },
    Change {
        inode: u64,
        change: Change,
    },
    Sync {
        inode: u64,
    },
    /// A sync that failed.
    Fail {
        inode: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// A change of a file.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Write { at: u64, bytes: Vec<u8> },
    Cut { len: u64 },
}

/// Reads a record.
pub(super) fn parse(mut record: &[u8]) -> Vec<Op> {
    let mut ops = Vec::new();
    while let Some((head, rest)) = record.split_first_chunk::<21>() {
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap());
        let length = u32::from_le_bytes(head[17..21].try_into().unwrap()) as usize;
        let (bytes, rest) = rest.split_at(length);
        ops.push(op(head[0], number(1), number(9), bytes));
        record = rest;
    }
    ops
}

fn op(kind: u8, object: u64, number: u64, bytes: &[u8]) -> Op {
    let text = || String::from_utf8(bytes.to_vec()).unwrap();
    match kind {
        b'C' => Op::Create { folder: object, inode: number, name: text(), kind: Kind::File },
        b'D' => Op::Create { folder: object, inode: number, name: text(), kind: Kind::Folder },
        b'R' => {
            let both = text();
            let (from, to) = both.split_once('\0').unwrap();
            Op::Rename { folder: object, from: from.to_owned(), to: to.to_owned() }
        }
        b'U' => Op::Remove { folder: object, name: text() },
        b'W' => Op::Change { inode: object, change: Change::Write { at: number, bytes: bytes.to_vec() } },
        b'T' => Op::Change { inode: object, change: Change::Cut { len: number } },
        b'S' => Op::Sync { inode: object },
        b'F' => Op::Fail { inode: object },
        other => panic!("no op {other}"),
    }
}

/// A disk: what is on it for sure, and what is under way to it.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// The object that an inode stands for now.
    objects: BTreeMap<u64, usize>,
    files: BTreeMap<usize, File>,
    folders: BTreeMap<usize, Folder>,
    /// Pages that were on the disk once, each with its place in its file.
    old: Vec<(u64, Vec<u8>)>,
}

#[derive(Debug, Default)]
struct File {
    durable: Vec<u8>,
    under_way: Vec<Change>,
    /// What processes see.
    seen: Vec<u8>,
    /// Pages that are not on the disk as they are seen, and that no sync writes.
    lost: BTreeSet<u64>,
    /// Pages of the durable part that were never written.
    unwritten: BTreeSet<u64>,
}

type Names = BTreeMap<String, usize>;

#[derive(Debug, Default)]
struct Folder {
    durable: Names,
    under_way: Vec<Naming>,
}

#[derive(Debug, Clone)]
enum Naming {
    Put(String, usize),
    Move(String, String),
    Take(String),
}

impl Disk {
    /// A disk with one folder, the root.
    pub(super) fn new(root: u64) -> Self {
        let mut disk = Self::default();
        disk.add(root, Kind::Folder);
        disk
    }

    fn add(&mut self, inode: u64, kind: Kind) -> usize {
        let object = self.files.len() + self.folders.len();
        match kind {
            Kind::File => drop(self.files.insert(object, File::default())),
            Kind::Folder => drop(self.folders.insert(object, Folder::default())),
        }
        self.objects.insert(inode, object);
        object
    }

    pub(super) fn apply(&mut self, op: &Op) {
        match op {
            Op::Create { folder, inode, name, kind } => {
                let object = self.add(*inode, *kind);
                self.name(*folder, Naming::Put(name.clone(), object));
            }
            Op::Rename { folder, from, to } => self.name(*folder, Naming::Move(from.clone(), to.clone())),
            Op::Remove { folder, name } => self.name(*folder, Naming::Take(name.clone())),
            Op::Change { inode, change } => {
                let file = self.files.get_mut(&self.objects[inode]).unwrap();
                if let Change::Cut { len } = change {
                    self.old.extend(pages(&file.seen).filter(|(page, _)| (page + 1) * PAGE > *len));
                }
                file.change(change);
            }
            Op::Sync { inode } => self.sync(self.objects[inode]),
            Op::Fail { inode } => self.files.get_mut(&self.objects[inode]).unwrap().fail(),
        }
    }

    fn name(&mut self, folder: u64, naming: Naming) {
        self.folders.get_mut(&self.objects[&folder]).unwrap().under_way.push(naming);
    }

    fn sync(&mut self, object: usize) {
        if let Some(file) = self.files.get_mut(&object) {
            let changes = std::mem::take(&mut file.under_way);
            let len = file.seen.len() as u64;
            let synced: BTreeSet<u64> = changes.iter().flat_map(|change| change.pages(len)).collect();
            changes.iter().for_each(|change| change.apply(&mut file.durable));
            file.unwritten.retain(|page| !synced.contains(page));
            self.old.extend(pages(&file.durable).filter(|(page, _)| synced.contains(page)));
        }
        if let Some(folder) = self.folders.get_mut(&object) {
            for naming in std::mem::take(&mut folder.under_way) {
                naming.apply(&mut folder.durable);
            }
        }
    }

    /// Cuts the power, and puts what is left into an empty folder.
    pub(super) fn cut(&self, random: &mut Rng, into: &Path) {
        self.lay_out(0, random, into);
    }

    fn lay_out(&self, folder: usize, random: &mut Rng, into: &Path) {
        for (name, object) in self.folders[&folder].after_cut(random) {
            let path = into.join(name);
            if let Some(file) = self.files.get(&object) {
                fs::write(path, file.after_cut(&self.old, random)).unwrap();
            } else {
                fs::create_dir(&path).unwrap();
                self.lay_out(object, random, &path);
            }
        }
    }

    /// What a file of the root holds for a process that looks now.
    pub(super) fn text(&self, name: &str) -> String {
        let root = &self.folders[&0];
        let mut names = root.durable.clone();
        root.under_way.iter().for_each(|naming| naming.apply(&mut names));
        let Some(file) = names.get(name).and_then(|object| self.files.get(object)) else {
            return String::new();
        };
        String::from_utf8(file.seen.clone()).unwrap()
    }
}

impl Naming {
    fn apply(&self, names: &mut Names) {
        match self {
            Self::Put(name, object) => drop(names.insert(name.clone(), *object)),
            Self::Take(name) => drop(names.remove(name)),
            Self::Move(from, to) => {
                let object = names.remove(from).expect("what is renamed has a name");
                names.insert(to.clone(), object);
            }
        }
    }
}

impl Folder {
    fn after_cut(&self, random: &mut Rng) -> Names {
        let mut names = self.durable.clone();
        let kept = random.usize(0..=self.under_way.len());
        self.under_way[..kept].iter().for_each(|naming| naming.apply(&mut names));
        names
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Cut { len } => bytes.resize(usize::try_from(*len).unwrap(), 0),
            Self::Write { at, bytes: written } => {
                let at = usize::try_from(*at).unwrap();
                bytes.resize(bytes.len().max(at + written.len()), 0);
                bytes[at..at + written.len()].copy_from_slice(written);
            }
        }
    }

    /// The pages that it changes, of a file of at most `len` bytes.
    fn pages(&self, len: u64) -> std::ops::Range<u64> {
        match self {
            Self::Cut { len: left } => left / PAGE..len.div_ceil(PAGE),
            Self::Write { at, bytes } => at / PAGE..(at + bytes.len() as u64).div_ceil(PAGE),
        }
    }

    /// Puts into one page, which begins at `start`, what of this change falls into it; at most so many bytes of a write.
    fn put_into_page(&self, start: u64, page: &mut [u8], at_most: usize) {
        match self {
            Self::Cut { len } => {
                let from = usize::try_from(len.saturating_sub(start)).unwrap().min(page.len());
                page[from..].fill(0);
            }
            Self::Write { at, bytes } => {
                let (begin, end) = (start.max(*at), (start + PAGE).min(at + bytes.len() as u64));
                let end = end.min(begin + at_most as u64);
                for place in begin..end {
                    page[usize::try_from(place - start).unwrap()] =
                        bytes[usize::try_from(place - at).unwrap()];
                }
            }
        }
    }
}

/// The pages of a file with their places.
fn pages(bytes: &[u8]) -> impl Iterator<Item = (u64, Vec<u8>)> {
    (0..).zip(bytes.chunks(PAGE_LEN).map(<[u8]>::to_vec))
}

impl File {
    fn change(&mut self, change: &Change) {
        change.apply(&mut self.seen);
        let change = match change {
            Change::Cut { .. } => change.clone(),
            // A page that is written to goes to the disk whole.
            Change::Write { at, bytes } => {
                let (mut from, mut to) = (*at, at + bytes.len() as u64);
                for page in change.pages(self.seen.len() as u64).filter(|page| self.lost.remove(page)) {
                    from = from.min(page * PAGE);
                    to = to.max((page + 1) * PAGE).min(self.seen.len() as u64);
                }
                let part = usize::try_from(from).unwrap()..usize::try_from(to).unwrap();
                Change::Write { at: from, bytes: self.seen[part].to_vec() }
            }
        };
        self.under_way.push(change);
    }

    /// Of four pages under way one comes to the disk; the length does.
    fn fail(&mut self) {
        let before = self.durable.len() as u64;
        let writes: Vec<Change> = std::mem::take(&mut self.under_way);
        let dirty: BTreeSet<u64> =
            writes.iter().flat_map(|change| change.pages(self.seen.len() as u64)).collect();
        self.durable.resize(self.seen.len(), 0);
        for page in dirty {
            let begin = usize::try_from(page * PAGE).unwrap();
            let end = self.seen.len().min(begin + PAGE_LEN);
            if page % 4 == 3 && begin < end {
                self.durable[begin..end].copy_from_slice(&self.seen[begin..end]);
            } else if begin < end {
                self.lost.insert(page);
                if page * PAGE >= before {
                    self.unwritten.insert(page);
                }
            }
        }
    }

    fn after_cut(&self, old: &[(u64, Vec<u8>)], random: &mut Rng) -> Vec<u8> {
        let grown = |len: u64, change: &Change| match change {
            Change::Cut { len } => *len,
            Change::Write { at, bytes } => len.max(at + bytes.len() as u64),
        };
        let durable = self.durable.len() as u64;
        let sizes: Vec<u64> = self
            .under_way
            .iter()
            .scan(durable, |len, change| {
                *len = grown(*len, change);
                Some(*len)
            })
            .collect();
        let longest = sizes.iter().copied().max().unwrap_or(0).max(durable);
        let mut bytes = self.durable.clone();
        bytes.resize(usize::try_from(longest.next_multiple_of(PAGE)).unwrap(), 0);
        for (start, page) in (0..).step_by(PAGE_LEN).zip(bytes.chunks_mut(PAGE_LEN)) {
            self.tear(start, page, longest, old, random);
        }
        let len = match random.usize(0..=sizes.len()) {
            0 => durable,
            kept => sizes[kept - 1],
        };
        bytes.truncate(usize::try_from(len).unwrap());
        bytes
    }

    /// Takes a random beginning of the changes to a page, the last of them torn.
    fn tear(&self, start: u64, page: &mut [u8], longest: u64, old: &[(u64, Vec<u8>)], random: &mut Rng) {
        let number = start / PAGE;
        let touches = |change: &&Change| change.pages(longest).contains(&number);
        let changes: Vec<&Change> = self.under_way.iter().filter(touches).collect();
        let kept = random.usize(0..=changes.len());
        if kept == 0 && (start >= self.durable.len() as u64 || self.unwritten.contains(&number)) {
            // One of the same place in another file or an earlier one would fit best.
            let same: Vec<_> = old.iter().filter(|(place, _)| *place == number).collect();
            let before = random.choice(&same).copied().filter(|_| random.u8(0..4) > 0);
            if let Some((_, before)) = before.or_else(|| random.choice(old)).filter(|_| random.bool()) {
                page[..before.len()].copy_from_slice(before);
            }
        }
        for change in &changes[..kept] {
            change.put_into_page(start, page, usize::MAX >> 1);
        }
        if let (Some(torn @ Change::Write { .. }), true) = (changes.get(kept), random.bool()) {
            torn.put_into_page(start, page, random.usize(0..PAGE_LEN));
        }
    }
}
