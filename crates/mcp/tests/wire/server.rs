//! The server side over real sockets and pipes: sessions, eras, streams and bounds.

mod eras;
mod limits;
mod lines;
mod rounds;
mod sessions;
mod sse;
mod stage;
mod streams;
