//! What decisions cost over the wire: a question, and a list that is filtered by them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::http::Http;
use crate::samples::Samples;
use crate::torture::server;

use super::{Error, Figure, Options, apply};

const PAGE: usize = 50;
const ORGANIZATIONS: usize = 100;
const BATCH: usize = 10_000;

/// Questions per second against calls of `/healthz`, on one connection and in turns; half of the answers are no.
pub(super) fn can_i(options: &Options) -> Result<Vec<Figure>, Error> {
    let rounds = options.choose(60, 6);
    let daemon = options.daemon().start()?;
    let mut operator = daemon.http()?;
    found(&mut operator, "acme")?;
    found(&mut operator, "globex")?;
    join(&mut operator, "acme", "mel")?;
    let mut mel = caller(&daemon, &mut operator, "mel")?;
    let (mut health, mut asked) = (Duration::ZERO, Duration::ZERO);
    let (mut calls, mut yes) = (0_u32, 0);
    for round in 0..rounds {
        let began = Instant::now();
        for _ in 0..100 {
            expect(&mut mel, "/healthz", 200)?;
        }
        health += began.elapsed();
        let began = Instant::now();
        for number in 0..100 {
            let org = if number % 2 == 0 { "acme" } else { "globex" };
            let path = format!(
                "/api/v1/can-i?verb=view&kind=mcpserver&name=s-{round}-{number}&scope=organization&org={org}"
            );
            yes += u32::from(expect(&mut mel, &path, 200)?.contains("\"allowed\":true"));
        }
        asked += began.elapsed();
        calls += 100;
    }
    if yes * 2 != calls {
        return Err(Error::Unexpected(format!(
            "{yes} of {calls} questions were answered with yes, not half"
        )));
    }
    let rate = |time: Duration| f64::from(calls) / time.as_secs_f64();
    let figure = Figure::of_rates("can-i over REST", rate(asked), ("/healthz", rate(health)));
    let met = figure.ratio >= 0.5;
    Ok(vec![figure.target("ratio >= 0.5", met)])
}

/// A page of what one member sees of many organizations' servers, against the operator's page of all.
pub(super) fn filtered_page(options: &Options) -> Result<Vec<Figure>, Error> {
    let count = options.choose(100_000, 10_000);
    let rounds = options.choose(300, 50);
    let daemon = options.daemon().start()?;
    let mut operator = daemon.http()?.timeout(Duration::from_mins(2));
    for first in (0..count).step_by(BATCH) {
        let size = BATCH.min(count - first);
        let resources: Vec<Value> = (first..first + size).map(of_organization).collect();
        apply(&mut operator, json!({ "resources": resources }).to_string())?;
    }
    join(&mut operator, "org-7", "mel")?;
    let mut mel = caller(&daemon, &mut operator, "mel")?;
    let (mut baseline, mut measured) = (Samples::default(), Samples::default());
    for round in 0..rounds {
        let (all, some) = (page(&mut operator)?, page(&mut mel)?);
        if round >= rounds / 10 {
            baseline.push(all);
            measured.push(some);
        }
    }
    let name = format!("member's page of {PAGE} from {count}, median");
    let figure = Figure::of_times(&name, measured.median(), ("operator's page", baseline.median()));
    let met = figure.ratio <= 2.0;
    Ok(vec![figure.target("ratio <= 2", met)])
}

/// Server number so and so, which belongs to one of the organizations.
fn of_organization(number: usize) -> Value {
    let mut resource = server(&format!("s-{number}"), &[]);
    resource["metadata"]["scope"] = json!("organization");
    resource["metadata"]["org"] = json!(format!("org-{}", number % ORGANIZATIONS));
    resource
}

fn found(operator: &mut Http, org: &str) -> Result<(), Error> {
    let made = operator.post("/api/v1/organizations", &json!({ "name": org }))?;
    if made.status == 201 { Ok(()) } else { Err(Error::Unexpected(made.text())) }
}

fn join(operator: &mut Http, org: &str, who: &str) -> Result<(), Error> {
    let path = format!("/api/v1/organizations/{org}/members/{who}");
    let joined = operator.put(&path, &json!({ "role": "member" }))?;
    if joined.status == 200 { Ok(()) } else { Err(Error::Unexpected(joined.text())) }
}

fn caller(daemon: &Daemon, operator: &mut Http, who: &str) -> Result<Http, Error> {
    let made = operator.post("/api/v1/tokens", &json!({ "account": who }))?;
    let made: Value = serde_json::from_str(&made.text()).unwrap_or_default();
    let token = made["token"].as_str().ok_or_else(|| Error::Unexpected("no token was made".into()))?;
    Ok(Http::tcp(daemon.address()).bearer(token))
}

fn expect(http: &mut Http, path: &str, status: u16) -> Result<String, Error> {
    let response = http.get(path)?;
    if response.status == status {
        return Ok(response.text());
    }
    Err(Error::Unexpected(format!("GET {path} answered {}: {}", response.status, response.text())))
}

fn page(http: &mut Http) -> Result<Duration, Error> {
    let began = Instant::now();
    let text = expect(http, "/api/v1/mcpservers?limit=50", 200)?;
    let took = began.elapsed();
    let servers = text.matches("\"metadata\"").count();
    if servers == PAGE { Ok(took) } else { Err(Error::Unexpected(format!("a page of {servers}"))) }
}
