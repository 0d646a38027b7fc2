//! Organizations and who belongs to them.

use std::collections::BTreeSet;

use access::{
    Action, Caller, Object, OrganizationRecord, Permit, Subject, Target, Tuple, TupleRecord, account, decide,
    organization, tuple_id,
};
use edge::Failure;
use http::StatusCode;
use model::{Account, Collection, Organization, Timestamp};
use serde::{Deserialize, Serialize};
use storage::{Presence, RecordEdit};
use utoipa::ToSchema;

use crate::authority::no_organization;
use crate::failure::refused;
use crate::gate::{Draft, Permitted};
use crate::state::Control;

/// What a member may do in an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// See and use what the organization has.
    Member,
    /// Change it, and say who belongs to it.
    Admin,
}

impl Role {
    pub(crate) const ALL: [Self; 2] = [Self::Member, Self::Admin];

    pub(crate) const fn relation(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

/// The tuple that gives `who` a role.
fn membership(org: &Organization, role: Role, who: &Account) -> Tuple {
    Tuple {
        object: organization(org),
        relation: role.relation().to_owned(),
        subject: Subject::Object(account(who)),
        condition: None,
    }
}

fn founding(org: &Organization, at: Timestamp, by: &Account) -> RecordEdit {
    let record = OrganizationRecord { created_at: at, created_by: by.clone() };
    RecordEdit {
        collection: Collection::Organization,
        id: org.to_string(),
        belongs: None,
        body: Some(serde_json::to_value(record).expect("names and times are JSON")),
        expected: Presence::Absent,
    }
}

/// The edit that makes a tuple be, or not be.
pub(crate) fn tuple_edit(tuple: &Tuple, at: Timestamp, by: &Account, held: bool) -> RecordEdit {
    let record = TupleRecord::new(tuple, at, by.clone());
    RecordEdit {
        collection: Collection::Tuple,
        id: tuple_id(tuple),
        belongs: access::resource_of(&tuple.object),
        body: held.then(|| serde_json::to_value(record).expect("names and times are JSON")),
        expected: Presence::Any,
    }
}

/// The organizations that an operator's apply brings into being by naming them.
pub(crate) fn found(control: &Control, caller: &Caller, named: BTreeSet<Organization>) -> Vec<Permitted> {
    let directory = control.directory();
    let missing: Vec<Organization> =
        named.into_iter().filter(|org| !directory.has_organization(org)).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let Ok(permit) = decide(&directory, caller, Action::Operate, Target::Platform) else { return Vec::new() };
    let at = (control.now)();
    let edit =
        |org: &Organization| RecordEdit { expected: Presence::Any, ..founding(org, at, &caller.account) };
    missing.iter().map(|org| Permitted::operate(&permit, edit(org))).collect()
}

/// Makes an organization, with its maker as admin.
pub(crate) async fn create(control: &Control, caller: &Caller, org: &Organization) -> Result<(), Failure> {
    let permit = control.operate(caller).await?;
    let at = (control.now)();
    let admin = tuple_edit(&membership(org, Role::Admin, &caller.account), at, &caller.account, true);
    let edits = vec![
        Permitted::operate(&permit, founding(org, at, &caller.account)),
        Permitted::operate(&permit, admin),
    ];
    commit(control, &permit, edits).await
}

/// Gives an account a role, in place of any other.
pub(crate) async fn add_member(
    control: &Control,
    caller: &Caller,
    org: &Organization,
    who: &Account,
    role: Role,
) -> Result<(), Failure> {
    let permit = leave(control, caller, org).await?;
    let at = (control.now)();
    let edits = Role::ALL
        .into_iter()
        .map(|known| {
            let tuple = membership(org, known, who);
            Permitted::grant(&permit, &tuple, tuple_edit(&tuple, at, &caller.account, known == role))
        })
        .collect();
    commit(control, &permit, edits).await
}

/// Takes every role from an account.
pub(crate) async fn remove_member(
    control: &Control,
    caller: &Caller,
    org: &Organization,
    who: &Account,
) -> Result<(), Failure> {
    let permit = leave(control, caller, org).await?;
    let held = roles(&control.directory().grants(&organization(org)), who);
    if held.is_empty() {
        let message = format!("`{who}` is not a member of organization `{org}`");
        return Err(Failure::new(StatusCode::NOT_FOUND, message));
    }
    let at = (control.now)();
    let edits = held
        .into_iter()
        .map(|role| {
            let tuple = membership(org, role, who);
            Permitted::grant(&permit, &tuple, tuple_edit(&tuple, at, &caller.account, false))
        })
        .collect();
    commit(control, &permit, edits).await
}

/// The roles that grants give an account.
pub(crate) fn roles(grants: &[Tuple], who: &Account) -> Vec<Role> {
    let subject = Subject::Object(account(who));
    let held = |role: &Role| grants.iter().any(|g| g.relation == role.relation() && g.subject == subject);
    Role::ALL.into_iter().filter(held).collect()
}

/// The accounts with a role, by name.
pub(crate) fn people(grants: &[Tuple], role: Role) -> Vec<String> {
    let with_role = grants.iter().filter(|grant| grant.relation == role.relation());
    let mut names: Vec<String> = with_role
        .filter_map(|grant| match &grant.subject {
            Subject::Object(Object { id, .. }) => Some(id.clone()),
            Subject::Wildcard(_) | Subject::Userset(..) => None,
        })
        .collect();
    names.sort();
    names
}

/// Leave to say who belongs to an organization that exists.
async fn leave(control: &Control, caller: &Caller, org: &Organization) -> Result<Permit, Failure> {
    let permit = control.permit(caller, Action::Grant, Target::Organization(org.clone())).await?;
    if control.directory().has_organization(org) { Ok(permit) } else { Err(no_organization(org)) }
}

/// Commits edits that change rights, and answers once this process decides by them.
pub(crate) async fn commit(control: &Control, by: &Permit, edits: Vec<Permitted>) -> Result<(), Failure> {
    commit_draft(control, Draft::new(by, (control.now)(), edits)).await
}

/// The same for a draft.
pub(crate) async fn commit_draft(control: &Control, draft: Draft) -> Result<(), Failure> {
    let committed = control.commit(draft).await?;
    committed.map(drop).map_err(|error| refused(error, StatusCode::CONFLICT))
}
