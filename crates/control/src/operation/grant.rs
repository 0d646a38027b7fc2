//! Grants: single rights to single things, given and taken back.

use access::{
    Action, Caller, Directory, Object, Subject, Target, Tuple, account, grantable, organization, platform,
};
use edge::Failure;
use http::StatusCode;
use model::{Account, Organization};

use super::organization::{commit_draft, tuple_edit};
use crate::failure::bad_request;
use crate::gate::{Draft, Permitted};
use crate::state::Control;

/// The relation that a verb grants to a kind of target.
pub(crate) fn relation(verb: &str, target: &Target) -> Result<&'static str, Failure> {
    let relation = match (verb, target) {
        ("view" | "use", Target::Resource(_)) => Some("viewer"),
        ("edit", Target::Resource(_)) => Some("editor"),
        ("approve", Target::Resource(_)) => Some("approver"),
        ("use-secret", Target::Resource(_)) => Some("secret_user"),
        ("operate", Target::Platform) => Some("operator"),
        _ => None,
    };
    relation.ok_or_else(|| {
        let shown = verb.escape_debug().take(80).collect::<String>();
        let known = match target {
            Target::Platform => "operate",
            Target::Organization(_) | Target::Account(_) => "nothing here; see `outfitter org add-member`",
            Target::Resource(_) => "view, use, edit, approve and use-secret",
        };
        bad_request(format!("`{shown}` cannot be granted; what can is {known}"))
    })
}

/// Who is meant: an account's name, `org:NAME`, `org:NAME#admin`, or the subject in full.
pub(crate) fn subject(text: &str) -> Result<Subject, Failure> {
    let invalid = |what: &str| {
        bad_request(format!("`{}` is not {what}", text.escape_debug().take(200).collect::<String>()))
    };
    let named = text.strip_prefix("org:").or_else(|| text.strip_prefix("organization:"));
    if let Some(named) = named {
        let (name, role) = named.split_once('#').unwrap_or((named, "member"));
        let org: Organization = name.parse().map_err(|_| invalid("an organization's name"))?;
        if !matches!(role, "member" | "admin") {
            return Err(invalid("a role: use #member or #admin"));
        }
        return Ok(Subject::Userset(organization(&org), role.to_owned()));
    }
    let name = text.strip_prefix("identity_account:").unwrap_or(text);
    let name: Account = name.parse().map_err(|_| invalid("an account's name, or org:NAME"))?;
    Ok(Subject::Object(account(&name)))
}

/// Gives or takes a right.
pub(crate) async fn change(
    control: &Control,
    caller: &Caller,
    target: Target,
    relation: &str,
    subject: Subject,
    held: bool,
) -> Result<(), Failure> {
    let permit = control.permit(caller, Action::Grant, target.clone()).await?;
    let tuple = Tuple { object: target.object(), relation: relation.to_owned(), subject, condition: None };
    if !grantable(&tuple.object.type_name, relation) {
        return Err(bad_request(format!("`{relation}` is not granted but follows from what a thing is")));
    }
    if let Err(unfit) = control.directory().admits(&tuple) {
        return Err(bad_request(format!("this cannot be granted: {unfit}")));
    }
    let exists = control.directory().grants(&tuple.object).contains(&tuple);
    if !held && !exists {
        let message = format!("{} has no such grant on {}", tuple.subject, tuple.object);
        return Err(Failure::new(StatusCode::NOT_FOUND, message));
    }
    let edit = tuple_edit(&tuple, (control.now)(), &caller.account, held);
    let draft = Draft::new(&permit, (control.now)(), vec![Permitted::grant(&permit, &tuple, edit)]);
    if tuple.relation == "operator" && !held {
        let leaving = tuple.subject.clone();
        let condition = move |directory: &Directory| another_operator(directory, &leaving);
        return commit_draft(control, draft.provided(Box::new(condition))).await;
    }
    commit_draft(control, draft).await
}

/// Somebody must be left who operates the platform, and who is known here: a slip of the pen must not lock everyone out.
fn another_operator(directory: &Directory, leaving: &Subject) -> Result<(), Failure> {
    let known = |name: &Object| name.id.parse().is_ok_and(|name: Account| directory.account(&name).is_some());
    let stays = |grant: &Tuple| match &grant.subject {
        Subject::Object(name) => grant.relation == "operator" && grant.subject != *leaving && known(name),
        Subject::Wildcard(_) | Subject::Userset(..) => false,
    };
    if directory.grants(&platform()).iter().any(stays) {
        return Ok(());
    }
    let message = "no other operator with an account of their own would be left; make one first: \
                   `outfitter user create NAME`, then `outfitter grant operate platform --to NAME`";
    Err(Failure::new(StatusCode::CONFLICT, message))
}
