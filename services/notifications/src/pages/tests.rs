//! Pages under hostile input.
