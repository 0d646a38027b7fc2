//! `audit`: who was refused what, and why, the newest last.

use std::collections::VecDeque;

use serde_json::Value as Json;

use crate::args::AuditCommand;
use crate::failure::Failure;
use crate::field::text;
use crate::http::Client;
use crate::query::Query;
use crate::records::{self, Columns};
use crate::session::Session;

const COLUMNS: Columns = Columns {
    header: &["TIME", "ACCOUNT", "VIA", "WANTED TO", "TARGET", "REASON"],
    row: |denial| {
        let relation = text(denial, "relation");
        let verb = relation.strip_prefix("can_").unwrap_or(relation).replace('_', "-");
        let cell = |key: &str| text(denial, key).to_owned();
        vec![cell("at"), cell("account"), cell("via"), verb, cell("target"), cell("reason")]
    },
    empty: &["Nothing was refused so far."],
};

/// Carries out `audit`.
pub async fn run(command: &AuditCommand, session: &mut Session<'_>) -> Result<(), Failure> {
    let AuditCommand::Denials { limit, output } = command;
    let newest = newest(&session.client()?, limit.get()).await?;
    if newest.left_out {
        session.output.note(&format!("The newest {limit}; see more with `--limit N`."));
    }
    records::print(newest.items.into(), &COLUMNS, output.output, session.output)
}

struct Newest {
    items: VecDeque<Json>,
    left_out: bool,
}

/// Reads from the oldest page to the newest, and keeps the last `limit`.
async fn newest(client: &Client, limit: usize) -> Result<Newest, Failure> {
    let mut newest = Newest { items: VecDeque::new(), left_out: false };
    let mut cursor: Option<String> = None;
    loop {
        let query = Query::new("/api/v1/denials").with("limit", "1000").maybe("cursor", cursor.as_deref());
        let page = client.get(&query.finish()).await?;
        let next = page["next_cursor"].as_str().map(str::to_owned);
        newest.items.extend(records::items(page));
        if newest.items.len() > limit {
            newest.left_out = true;
            newest.items.drain(..newest.items.len() - limit);
        }
        if next.is_none() || next == cursor {
            return Ok(newest);
        }
        cursor = next;
    }
}
