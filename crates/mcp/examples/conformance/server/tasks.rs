//! Long calls as tasks: the extension, with polling, input and cancellation.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use mcp::fault::code;
use mcp::json::View;
use mcp::{Fault, Question};
use serde_json::{Map, Value, json};

use super::elicitation::{ask, elicit};
use super::fixture::{Answer, Call, Fixture};
use super::tools::says;

/// The name of the extension.
pub const EXTENSION: &str = "io.modelcontextprotocol/tasks";
const KEEP_MS: u64 = 60_000;
const PATH: [&str; 2] = ["extensions", EXTENSION];

/// What a task is at.
#[derive(Clone, Debug)]
enum Stage {
    Working,
    Asking(Map<String, Value>),
    Completed(Value),
    Failed(Value),
    Cancelled,
}

/// All tasks.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    last: Arc<AtomicU64>,
    all: Arc<Mutex<HashMap<String, (Timestamp, Stage)>>>,
}

impl Tasks {
    fn all(&self) -> MutexGuard<'_, HashMap<String, (Timestamp, Stage)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn create(&self, stage: Stage) -> String {
        let id = format!("task-{}", self.last.fetch_add(1, Ordering::Relaxed) + 1);
        self.all().insert(id.clone(), (Timestamp::now(), stage));
        id
    }

    fn advance(&self, id: &str, to: Stage) {
        if let Some((_, stage)) = self.all().get_mut(id)
            && !matches!(stage, Stage::Cancelled)
        {
            *stage = to;
        }
    }
}

fn describe(id: &str, created: Timestamp, stage: &Stage) -> Value {
    let status = match stage {
        Stage::Working => "working",
        Stage::Asking(_) => "input_required",
        Stage::Completed(_) => "completed",
        Stage::Failed(_) => "failed",
        Stage::Cancelled => "cancelled",
    };
    json!({ "taskId": id, "status": status, "createdAt": created.to_string(), "lastUpdatedAt": Timestamp::now().to_string(),
        "ttlMs": KEEP_MS, "pollIntervalMs": 100 })
}

/// Answers `tasks/get`, `tasks/update` and `tasks/cancel`.
pub fn answer(tasks: &Tasks, call: &Call, method: &str) -> Answer {
    call.require(&PATH)?;
    let id = call.request().param("taskId").and_then(View::text).unwrap_or_default();
    let mut all = tasks.all();
    let unknown = || Fault::invalid_params(format!("unknown task: {id}"));
    let (created, stage) = all.get_mut(&*id).ok_or_else(unknown)?;
    match method {
        "tasks/get" => {
            let mut result = describe(&id, *created, stage);
            match stage {
                Stage::Asking(requests) => result["inputRequests"] = json!(requests),
                Stage::Completed(outcome) => result["result"] = outcome.clone(),
                Stage::Failed(error) => result["error"] = error.clone(),
                Stage::Working | Stage::Cancelled => {}
            }
            return Ok(result);
        }
        "tasks/cancel" if matches!(stage, Stage::Working | Stage::Asking(_)) => *stage = Stage::Cancelled,
        "tasks/update" => {
            if let (Stage::Asking(requests), Some(responses)) =
                (&mut *stage, call.request().param("inputResponses"))
            {
                for (key, _) in responses.members() {
                    requests.remove(&*String::from_utf8_lossy(&key));
                }
                if requests.is_empty() {
                    *stage = Stage::Completed(says("All answered"));
                }
            }
        }
        _ => {}
    }
    Ok(json!({}))
}

/// Runs the tools that may become tasks.
pub async fn call(fixture: &Fixture, call: &Call, name: &str) -> Answer {
    let can_wait = call.peer().can(&PATH);
    let argument = |name: &str| call.argument(name).and_then(View::text).unwrap_or_default().into_owned();
    let seconds = call.argument("seconds").and_then(View::number).unwrap_or(0.0).clamp(0.0, 30.0);
    let pause = Duration::from_secs_f64(seconds);
    match name {
        "greet" => return Ok(says(&format!("Hello, {}!", argument("name")))),
        "slow_compute" if !can_wait => {
            tokio::time::sleep(pause).await;
            return Ok(says("Computed"));
        }
        "test_tool_with_task" => {
            let question = elicit(
                "user_name",
                "What is your name?",
                &json!({ "name": { "type": "string" } }),
                &["name"],
            );
            let reply = ask(call, question).await?;
            call.require(&PATH)?;
            let greeting = format!("Hello, {}!", reply["content"]["name"].as_str().unwrap_or_default());
            return Ok(begin(fixture, Duration::from_millis(100), Stage::Completed(says(&greeting))));
        }
        _ => call.require(&PATH)?,
    }
    let second = Duration::from_secs(1);
    Ok(match name {
        "slow_compute" => {
            begin(fixture, pause, Stage::Completed(says(&format!("Computed {}", argument("label")))))
        }
        "failing_job" => {
            let mut result = says("The job failed");
            result["isError"] = json!(true);
            begin(fixture, second, Stage::Completed(result))
        }
        "protocol_error_job" => begin(
            fixture,
            second,
            Stage::Failed(json!({ "code": code::INTERNAL, "message": "the job broke" })),
        ),
        "confirm_delete" => begin(fixture, Duration::ZERO, asking(&["confirm"])),
        _ => begin(fixture, Duration::ZERO, asking(&["first", "second"])),
    })
}

fn asking(keys: &[&str]) -> Stage {
    let request = |key: &&str| {
        let question: Question =
            elicit(key, "Please confirm", &json!({ "confirm": { "type": "boolean" } }), &["confirm"]);
        let params: Value =
            serde_json::from_slice(question.params.as_deref().unwrap_or(b"{}")).unwrap_or_default();
        ((*key).to_owned(), json!({ "method": question.method, "params": params }))
    };
    Stage::Asking(keys.iter().map(request).collect())
}

/// Begins a task that comes to this stage after a while.
fn begin(fixture: &Fixture, after: Duration, stage: Stage) -> Value {
    let tasks = fixture.tasks.clone();
    let id = tasks.create(Stage::Working);
    let mut result = describe(&id, Timestamp::now(), &Stage::Working);
    tokio::spawn(async move {
        tokio::time::sleep(after).await;
        tasks.advance(&id, stage);
    });
    result["resultType"] = json!("task");
    result
}
