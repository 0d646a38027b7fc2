//! 002's scope table, the holders of each right, and what tokens reach.

use access::{Action, AgentAddress, Caller, Denial, Reach, Target, Within, decide, explain, visible};
use model::{Kind, Scope, Timestamp};

use crate::world::{directory, grant, key, members, name, object, org, person, server, to};

fn ask(directory: &access::Directory, who: &Caller, action: Action, scope: &Scope) -> &'static str {
    match decide(directory, who, action, Target::Resource(server(scope.clone()))) {
        Ok(permit) => {
            assert!(permit.is_for(action, &Target::Resource(server(scope.clone()))));
            "yes"
        }
        Err(Denial::Hidden { .. }) => "hidden",
        Err(Denial::Forbidden { .. }) => "no",
    }
}

#[test]
fn the_scope_table_holds() {
    use Action::{Approve, Delete, Edit, Grant, Spawn, Use, UseSecret, View};
    let directory = directory(true, &[]);
    let (platform, acme) = (Scope::Platform, Scope::Organization(org("acme")));
    let mels = Scope::IdentityAccount(name("mel"));
    for (who, scope, yes, no) in [
        ("stranger", &platform, &[View, Use][..], &[Edit, Delete, Spawn, Grant, Approve, UseSecret][..]),
        ("root", &platform, &[View, Use, Edit, Delete, Spawn, Grant, Approve], &[UseSecret]),
        ("mel", &acme, &[View, Use], &[Edit, Delete, Spawn, Grant, Approve, UseSecret]),
        ("ada", &acme, &[View, Use, Edit, Delete, Spawn, Grant, Approve, UseSecret], &[]),
        ("root", &acme, &[View, Use, Edit, Delete, Spawn, Grant, Approve], &[UseSecret]),
        ("mel", &mels, &[View, Use, Edit, Delete, Spawn, Grant, Approve, UseSecret], &[]),
    ] {
        for (actions, expected) in [(yes, "yes"), (no, "no")] {
            for action in actions {
                assert_eq!(
                    ask(&directory, &person(who), *action, scope),
                    expected,
                    "{who} {action:?} {scope}"
                );
            }
        }
    }
    for (who, scope) in [("gil", &acme), ("stranger", &acme), ("root", &mels), ("ada", &mels)] {
        for action in [View, Use, Edit, Delete, Spawn, Grant, Approve, UseSecret] {
            assert_eq!(ask(&directory, &person(who), action, scope), "hidden", "{who} {action:?} {scope}");
        }
    }
}

#[test]
fn people_spawn_for_themselves_only_while_the_setting_is_on() {
    let mels = Scope::IdentityAccount(name("mel"));
    assert_eq!(ask(&directory(true, &[]), &person("mel"), Action::Spawn, &mels), "yes");
    let off = directory(false, &[]);
    assert_eq!(ask(&off, &person("mel"), Action::Spawn, &mels), "no");
    assert_eq!(ask(&off, &person("mel"), Action::Edit, &mels), "yes");
    assert_eq!(ask(&off, &person("ada"), Action::Spawn, &Scope::Organization(org("acme"))), "yes");
}

#[test]
fn only_operators_operate_and_the_platform_is_no_secret() {
    let directory = directory(true, &[]);
    assert!(decide(&directory, &person("root"), Action::Operate, Target::Platform).is_ok());
    for who in ["ada", "stranger"] {
        let denial = decide(&directory, &person(who), Action::Operate, Target::Platform).unwrap_err();
        assert_eq!(
            denial.to_string(),
            format!("{who} may not operate the daemon in scope platform: only operators may")
        );
    }
}

#[test]
fn an_organization_is_seen_by_members_and_run_by_admins() {
    let directory = directory(true, &[]);
    let may = |who: &str, action| decide(&directory, &person(who), action, Target::Organization(org("acme")));
    assert!(may("mel", Action::View).is_ok() && may("mel", Action::Grant).is_err());
    assert!(may("ada", Action::Grant).is_ok() && may("root", Action::Grant).is_ok());
    assert!(matches!(may("gil", Action::View), Err(Denial::Hidden { .. })));
    assert!(matches!(may("mel", Action::Grant), Err(Denial::Forbidden { .. })));
}

#[test]
fn a_token_never_reaches_further_than_it_says() {
    let acme = Scope::Organization(org("acme"));
    let adas = Scope::IdentityAccount(name("ada"));
    let directory = directory(true, &[]);
    let with = |read_only, within| Caller { reach: Reach { read_only, within }, ..person("ada") };
    let read_only = with(true, Within::Everything);
    let for_acme = with(false, Within::Organization(org("acme")));
    let for_globex = with(false, Within::Organization(org("globex")));
    let agent = key(Kind::Agent, acme.clone(), "helper");
    let for_agent = with(false, Within::Agent(AgentAddress::of(&agent)));
    for (who, action, scope, expected) in [
        (&read_only, Action::View, &acme, "yes"),
        (&read_only, Action::Edit, &acme, "no"),
        (&read_only, Action::Use, &acme, "no"),
        (&for_acme, Action::Edit, &acme, "yes"),
        (&for_acme, Action::View, &Scope::Platform, "yes"),
        (&for_acme, Action::View, &adas, "hidden"),
        (&for_globex, Action::View, &acme, "hidden"),
        (&for_globex, Action::Edit, &acme, "hidden"),
        (&for_agent, Action::View, &acme, "hidden"),
        (&for_agent, Action::View, &Scope::Platform, "hidden"),
    ] {
        assert_eq!(ask(&directory, who, action, scope), expected, "{who:?} {action:?} {scope}");
    }
    assert!(decide(&directory, &for_agent, Action::Use, Target::Resource(agent.clone())).is_ok());
    assert!(decide(&directory, &for_agent, Action::Edit, Target::Resource(agent.clone())).is_err());
    assert!(visible(&directory, &for_agent, Kind::Agent).admits(&agent));
    for caller in [&read_only, &for_acme, &for_agent] {
        assert!(decide(&directory, caller, Action::Edit, Target::Account(name("mel"))).is_err());
        assert!(decide(&directory, caller, Action::Operate, Target::Platform).is_err());
    }
}

#[test]
fn grants_to_people_and_organizations_are_seen_in_lists_and_end_with_them() {
    let mels = server(Scope::IdentityAccount(name("mel")));
    let crm = server(Scope::Organization(org("acme")));
    let granted = directory(
        true,
        &[grant(object(&mels), "viewer", to("stranger")), grant(object(&crm), "editor", members("globex"))],
    );
    let sees = |who: &str, key: &model::Key| visible(&granted, &person(who), Kind::McpServer).admits(key);
    assert!(sees("stranger", &mels) && !sees("gil", &mels) && !sees("root", &mels));
    assert!(sees("gil", &crm) && !sees("stranger", &crm));
    assert!(decide(&granted, &person("gil"), Action::Edit, Target::Resource(crm.clone())).is_ok());
    let path = explain(&granted, &name("gil"), Action::Edit, &Target::Resource(crm));
    let told: Vec<String> = path.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "mcp_server:organization/acme/x#can_edit includes editor",
            "mcp_server:organization/acme/x#editor names organization:globex#member",
            "organization:globex#member includes admin",
            "organization:globex#admin names identity_account:gil",
        ]
    );
}

#[test]
fn what_follows_from_where_a_thing_is_cannot_be_granted() {
    let mels = server(Scope::IdentityAccount(name("mel")));
    for relation in ["owner", "identity_account", "operator", "can_view", "host"] {
        let forged = directory(true, &[grant(object(&mels), relation, to("stranger"))]);
        let decided = decide(&forged, &person("stranger"), Action::View, Target::Resource(mels.clone()));
        assert!(decided.is_err(), "{relation}");
        assert_eq!(forged.unread(), 1, "{relation}");
    }
}

#[test]
fn an_issuer_names_people_but_not_those_of_this_machine() {
    use access::{AccountRecord, Refused, Settings, Via};
    use model::{Collection, Record, Revision};
    let account = |id: &str, subject: Option<&str>, local| Record {
        collection: Collection::Account,
        id: id.to_owned(),
        body: serde_json::to_value(AccountRecord {
            created_at: Timestamp::from_millis(0),
            created_by: name("root"),
            subject: subject.map(str::to_owned),
            local,
        })
        .unwrap(),
        revision: Revision(1),
    };
    let records =
        [account("root", None, true), account("mel", Some("auth0|77"), false), account("ada", None, false)];
    let directory = access::Directory::load(Settings::default(), &records, Revision(1));
    let until = Timestamp::from_millis(99);
    for (subject, expected) in [
        ("auth0|77", Some("mel")),
        ("ada", Some("ada")),
        ("new", Some("new")),
        ("root", None),
        ("mel", None),
        ("a b", None),
    ] {
        match (directory.issued(subject, until), expected) {
            (Ok(caller), Some(name)) => assert_eq!((caller.account.as_str(), caller.via), (name, Via::Oidc)),
            (Err(Refused::Reserved(_)), None) => {}
            (other, _) => panic!("{subject}: {other:?}"),
        }
    }
}
