//! What the child that decodes a picture gives up before it reads a byte: all files, the network,
//! other programs and other processes. A hostile file that takes it over reaches nothing that its
//! parent could.

/// What this machine's kernel enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confinement {
    /// Files, TCP, and signals to other processes, by Landlock.
    pub files: bool,
    /// System calls for sockets, programs and other processes' memory, by seccomp.
    pub calls: bool,
}

/// Confines the calling thread and all that it starts, as far as the kernel can; there is no way
/// back.
#[cfg(target_os = "linux")]
#[must_use]
pub fn confine() -> Confinement {
    Confinement { files: linux::give_up_files().is_ok(), calls: linux::give_up_calls().is_ok() }
}

/// Other systems than Linux have no such means.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn confine() -> Confinement {
    Confinement { files: false, calls: false }
}

/// What the kernel enforces, tried in a thread that ends at once.
#[must_use]
pub fn supported() -> Confinement {
    let tried = std::thread::spawn(confine).join();
    tried.unwrap_or(Confinement { files: false, calls: false })
}

/// Logs what a child that is taken over could reach on this machine.
pub fn report() {
    let Confinement { files, calls } = supported();
    if !files {
        tracing::warn!("no Landlock here: the child that decodes pictures may open files");
    }
    if !calls {
        tracing::warn!("no seccomp here: the child that decodes pictures may open sockets");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::io;

    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetStatus, Scope,
    };
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};

    /// The newest rules that are asked for; an older kernel enforces those that it knows.
    const RULES: ABI = ABI::V6;
    /// What needs a socket, starts a program, or looks into or stops another process.
    const FORBIDDEN: [libc::c_long; 15] = [
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_sendto,
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_kill,
        libc::SYS_pidfd_open,
        libc::SYS_io_uring_setup,
        libc::SYS_bpf,
        libc::SYS_mount,
    ];

    /// No rule allows anything, so no file can be opened. It also takes the way to more rights by
    /// a program with privileges of its own.
    pub(super) fn give_up_files() -> io::Result<()> {
        // Nor can others read this process's memory, which has a person's picture.
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(RULES))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(RULES)))
            .and_then(|rules| rules.scope(Scope::from_all(RULES)))
            .and_then(Ruleset::create)
            .and_then(landlock::RulesetCreated::restrict_self)
            .map_err(io::Error::other)?;
        if status.ruleset == RulesetStatus::NotEnforced {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(())
    }

    pub(super) fn give_up_calls() -> io::Result<()> {
        let architecture =
            TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
        let rules: BTreeMap<i64, _> = FORBIDDEN.map(|call| (call, Vec::new())).into();
        let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture);
        let filter = filter.and_then(BpfProgram::try_from).map_err(io::Error::other)?;
        apply_filter(&filter).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind::PermissionDenied;
    use std::net::{TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;
    use std::{fs, io, thread};

    use super::{Confinement, confine, supported};

    fn refused<T>(result: io::Result<T>) -> bool {
        result.err().is_some_and(|error| error.kind() == PermissionDenied)
    }

    /// What is refused in a thread of its own after it has called this.
    fn tried(before: fn()) -> [bool; 6] {
        let trial = thread::spawn(move || {
            before();
            [
                refused(fs::read("/etc/passwd")),
                refused(fs::write("/tmp/of-a-picture", "")),
                refused(TcpStream::connect("127.0.0.1:9")),
                refused(UdpSocket::bind("127.0.0.1:0")),
                refused(UnixStream::connect("/nowhere")),
                refused(Command::new("/bin/true").status()),
            ]
        });
        trial.join().unwrap()
    }

    #[test]
    fn a_confined_process_reaches_no_file_no_network_and_no_program() {
        assert_eq!(tried(|| {}), [false; 6]);
        fs::remove_file("/tmp/of-a-picture").unwrap();
        let Confinement { files, calls } = supported();
        let confined = tried(|| {
            let _as_far_as_possible = confine();
        });
        assert_eq!(&confined[..2], [files; 2]);
        assert_eq!(&confined[2..], [calls, calls, calls, files || calls]);
        assert!(files || calls || !cfg!(target_os = "linux"), "this kernel enforces nothing");
    }
}
