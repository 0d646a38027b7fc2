//! A small world of people, organizations and grants, as the records that storage would hold.

use access::{
    Caller, Directory, OrganizationRecord, Settings, Subject, Tuple, TupleRecord, Via, account, organization,
    platform, resource, tuple_id,
};
use model::{Account, Collection, Key, Kind, Organization, Record, Revision, Scope, Timestamp};

pub fn name(text: &str) -> Account {
    text.parse().unwrap()
}

pub fn org(text: &str) -> Organization {
    text.parse().unwrap()
}

pub fn key(kind: Kind, scope: Scope, text: &str) -> Key {
    Key { kind, name: text.parse().unwrap(), scope }
}

pub fn person(text: &str) -> Caller {
    Caller::new(name(text), Via::Socket)
}

pub fn grant(object: access::Object, relation: &str, subject: Subject) -> Tuple {
    Tuple { object, relation: relation.to_owned(), subject, condition: None }
}

pub fn to(text: &str) -> Subject {
    Subject::Object(account(&name(text)))
}

pub fn members(text: &str) -> Subject {
    Subject::Userset(organization(&org(text)), "member".to_owned())
}

/// A tuple as a record.
pub fn record(tuple: &Tuple) -> Record {
    let body = TupleRecord::new(tuple, Timestamp::from_millis(0), name("root"));
    Record {
        collection: Collection::Tuple,
        id: tuple_id(tuple),
        body: serde_json::to_value(body).unwrap(),
        revision: Revision(1),
    }
}

fn founded(text: &str) -> Record {
    let body = OrganizationRecord { created_at: Timestamp::from_millis(0), created_by: name("root") };
    Record {
        collection: Collection::Organization,
        id: text.to_owned(),
        body: serde_json::to_value(body).unwrap(),
        revision: Revision(1),
    }
}

/// Root operates; ada is admin and mel member of acme; gil is admin of globex.
pub fn base() -> Vec<Record> {
    let tuples = [
        grant(platform(), "operator", to("root")),
        grant(organization(&org("acme")), "admin", to("ada")),
        grant(organization(&org("acme")), "member", to("mel")),
        grant(organization(&org("globex")), "admin", to("gil")),
    ];
    tuples.iter().map(record).chain([founded("acme"), founded("globex")]).collect()
}

pub fn directory(personal_spawn: bool, more: &[Tuple]) -> Directory {
    let records: Vec<Record> = base().into_iter().chain(more.iter().map(record)).collect();
    Directory::load(Settings { personal_spawn }, &records, Revision(1))
}

pub fn server(scope: Scope) -> Key {
    key(Kind::McpServer, scope, "x")
}

pub fn object(key: &Key) -> access::Object {
    resource(key)
}
