//! server-everything over HTTP; nobody tells the client which transport it speaks.

use serde_json::json;
use testkit::peers;

use super::{Upstream, everything};
use crate::run::installed;

#[tokio::test]
async fn server_everything_over_streamable_http_shows_all_it_has() {
    let name = "server_everything_over_streamable_http_shows_all_it_has";
    let Some(mut command) = installed(name, peers::node(".bin/mcp-server-everything")) else { return };
    command.arg("streamableHttp");
    let mut server = Upstream::over_http(command, "/mcp", json!({})).await;
    // What it says before the client's stream is open is lost: among that, that it has more tools.
    everything::tour(&mut server).await;
    server.close().await;
}

#[tokio::test]
async fn server_everything_over_sse_is_found_after_streamable_http_was_not() {
    let name = "server_everything_over_sse_is_found_after_streamable_http_was_not";
    let Some(mut command) = installed(name, peers::node(".bin/mcp-server-everything")) else { return };
    command.arg("sse");
    let mut server = Upstream::over_http(command, "/sse", json!({})).await;
    everything::hear_of_more_tools(&mut server).await;
    everything::tour(&mut server).await;
    server.close().await;
}
