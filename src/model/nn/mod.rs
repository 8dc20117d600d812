//! Building blocks, one a file.

pub mod adaln;
pub mod attention;
pub mod init;
pub mod mlp;
pub mod pos_embed;
pub mod time_embed;
