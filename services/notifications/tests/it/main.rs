//! Mails on real PostgreSQL.
