//! The wire: strict JSON, JSON-RPC, both protocol eras, every transport, client and server side.
