//! Keyset pagination, which stays correct while reviews are added.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::id::Review;
use kernel::{Id, Timestamp};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// Maximum reviews per page.
const PAGE_SIZE_MAX: i32 = 50;
/// Bytes of the list's hash in a token.
const LIST_BYTES: usize = 8;

/// The position of a page's last review in the list order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// When it was submitted.
    pub created_at: Timestamp,
    /// Its id, which orders reviews of the same moment.
    pub review_id: Id<Review>,
}

impl Cursor {
    /// The token of the page that follows in the list `list_id`.
    #[must_use]
    pub fn token(self, list_id: &str) -> String {
        let mut bytes = hash(list_id);
        bytes.extend(self.created_at.micros().to_be_bytes());
        bytes.extend(self.review_id.uuid().as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Decodes a token; `None` when it is malformed or belongs to another list.
    #[must_use]
    pub fn read(list_id: &str, token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let cursor = bytes.strip_prefix(hash(list_id).as_slice())?;
        let (micros, uuid) = cursor.split_first_chunk()?;
        Some(Self {
            created_at: Timestamp::from_micros(i64::from_be_bytes(*micros))?,
            review_id: Id::from_uuid(Uuid::from_slice(uuid).ok()?),
        })
    }
}

fn hash(list_id: &str) -> Vec<u8> {
    Sha256::digest(list_id.as_bytes()).iter().copied().take(LIST_BYTES).collect()
}

/// The number of reviews per page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSize(usize);

impl PageSize {
    /// The requested size, at most 50; `default` when none was requested.
    #[must_use]
    pub fn clamped(requested: i32, default: i32) -> Self {
        let size = if requested <= 0 { default } else { requested.min(PAGE_SIZE_MAX) };
        Self(usize::try_from(size).unwrap_or_default())
    }

    /// The number of rows to read: one more than are shown, which tells whether more follow.
    #[must_use]
    pub fn limit(self) -> i64 {
        i64::try_from(self.0).unwrap_or_default().saturating_add(1)
    }

    /// Splits the rows read into the page and the cursor of the next page, if there is one.
    pub fn split<T>(self, mut read: Vec<T>, cursor: fn(&T) -> Cursor) -> (Vec<T>, Option<Cursor>) {
        let more = read.len() > self.0;
        read.truncate(self.0);
        let next = read.last().map(cursor).filter(|_| more);
        (read, next)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, PageSize};
    use kernel::{Id, Timestamp};
    use uuid::Uuid;

    #[test]
    fn a_token_is_read_by_its_list_only() {
        let cursor = Cursor {
            created_at: Timestamp::from_micros(1_795_400_000_123_456).unwrap(),
            review_id: Id::from_uuid(Uuid::from_u128(7)),
        };
        let token = cursor.token("all");
        assert_eq!(Cursor::read("all", &token), Some(cursor));
        assert_eq!(Cursor::read("verified", &token), None);
        let longer = format!("{token}AAAA");
        for wrong in ["", "2", "not a token", &token[4..], &token[..40], &longer] {
            assert_eq!(Cursor::read("all", wrong), None, "{wrong}");
        }
    }

    #[test]
    fn pages_have_a_size_and_the_last_one_leads_nowhere() {
        for (requested, given) in [(-1, 12), (0, 12), (1, 1), (50, 50), (51, 50), (i32::MAX, 50)] {
            assert_eq!(PageSize::clamped(requested, 12), PageSize(given));
        }
        let cursor = |number: &u128| Cursor {
            created_at: Timestamp::EPOCH,
            review_id: Id::from_uuid(Uuid::from_u128(*number)),
        };
        let page = PageSize::clamped(2, 12);
        assert_eq!(page.limit(), 3);
        assert_eq!(page.split(vec![3, 2, 1], cursor), (vec![3, 2], Some(cursor(&2))));
        assert_eq!(page.split(vec![2, 1], cursor), (vec![2, 1], None));
        assert_eq!(page.split(Vec::new(), cursor), (Vec::new(), None));
    }
}
