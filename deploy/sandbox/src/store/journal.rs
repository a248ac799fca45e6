//! The journal file: one JSON line per transaction, written before the request is answered. The
//! kernel keeps a written line when the process is killed, and only that has to be survived.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::store::rows::Change;

/// The journal has mails with codes and names, so other users of the machine cannot read it.
const PRIVATE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    lines: usize,
}

impl Journal {
    /// Opens or creates the journal of a folder and replays it. An incomplete last line was never
    /// acknowledged, so it is dropped. An unreadable line before it is an error.
    pub(crate) fn open(folder: &Path, mut replay: impl FnMut(Change)) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        fs::set_permissions(folder, Permissions::from_mode(PRIVATE_FOLDER))?;
        let path = folder.join("book.jsonl");
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).mode(PRIVATE).open(&path)?;
        // One of an older version may be open to others.
        file.set_permissions(Permissions::from_mode(PRIVATE))?;
        let mut reader = BufReader::new(&file);
        let mut line = String::new();
        let mut lines = 0;
        while reader.read_line(&mut line)? > 0 {
            if !line.ends_with('\n') {
                break;
            }
            let changes: Vec<Change> = serde_json::from_str(&line)?;
            changes.into_iter().for_each(&mut replay);
            lines += 1;
            line.clear();
        }
        Ok(Self { path, file, lines })
    }

    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    pub(crate) fn append(&mut self, changes: &[Change]) -> io::Result<()> {
        let mut line = serde_json::to_vec(changes)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.lines += 1;
        Ok(())
    }

    /// Replaces the file by one that holds only these rows. A rename makes the replacement atomic.
    pub(crate) fn rewrite(&mut self, rows: impl Iterator<Item = Change>) -> io::Result<()> {
        let beside = self.path.with_extension("jsonl.new");
        let mut options = OpenOptions::new();
        let new = options.write(true).create(true).truncate(true).mode(PRIVATE).open(&beside)?;
        let mut writer = BufWriter::new(new);
        let mut lines = 0;
        for row in rows {
            serde_json::to_writer(&mut writer, &[row])?;
            writer.write_all(b"\n")?;
            lines += 1;
        }
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&beside, &self.path)?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        self.lines = lines;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Journal;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_its_owner_reads_the_journal() {
        let folder = std::env::temp_dir().join(format!("sukoon-journal-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("book.jsonl");
        let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        let mut journal = Journal::open(&folder, |_| {}).unwrap();
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        journal.rewrite(std::iter::empty()).unwrap();
        assert_eq!(mode(&file), 0o600);
        fs::remove_dir_all(&folder).unwrap();
    }
}
