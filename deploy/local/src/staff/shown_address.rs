//! Mail addresses as people read them, by the one rule of the services. This crate stands alone and
//! cannot use theirs, so it is built from that file, which their tests hold.

#[expect(unreachable_pub, reason = "the services' crate has it for all of them")]
#[path = "../../../../services/shared/kernel/src/typed/shown.rs"]
mod rule;

pub(super) use self::rule::shown_address;
