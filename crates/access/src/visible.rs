//! What a caller may see, as a filter. Law: it admits exactly what `decide` lets the caller view.

use fga::{Query, Subject};
use model::{Key, Kind, Organizations, Scope, Visibility};

use crate::action::{account, resource_of};
use crate::caller::{Stand, Within};
use crate::{Action, Caller, Directory, Target, decide};

/// What a caller may see of one kind. Only [`visible`] makes one; lists take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    kind: Kind,
    filter: Visibility,
}

impl Visible {
    /// The kind it is about.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The filter, for a query.
    pub const fn filter(&self) -> &Visibility {
        &self.filter
    }

    /// Whether it admits all that `before` did.
    pub fn covers(&self, before: &Self) -> bool {
        let (now, old) = (&self.filter, &before.filter);
        let organizations = match (&now.organizations, &old.organizations) {
            (Organizations::All, _) => true,
            (Organizations::Only(_), Organizations::All) => false,
            (Organizations::Only(now), Organizations::Only(old)) => old.iter().all(|org| now.contains(org)),
        };
        organizations
            && (now.platform || !old.platform)
            && (now.account == old.account || old.account.is_none())
            && old.also.iter().all(|key| now.admits(key))
    }

    /// Whether the caller may see this resource.
    pub fn admits(&self, key: &Key) -> bool {
        key.kind == self.kind && self.filter.admits(key)
    }
}

/// The resources of `kind` that `caller` may view.
pub fn visible(directory: &Directory, caller: &Caller, kind: Kind) -> Visible {
    let mut filter = whole(directory, caller, kind);
    let reaches = |key: &Key| caller.covers(Action::View, &Target::Resource(key.clone())) == Stand::Within;
    match &caller.reach.within {
        Within::Everything => {}
        Within::Organization(org) => {
            filter.account = None;
            let member = match &filter.organizations {
                Organizations::All => true,
                Organizations::Only(orgs) => orgs.contains(org),
            };
            filter.organizations = Organizations::Only(member.then(|| org.clone()).into_iter().collect());
            filter.also.retain(reaches);
        }
        Within::Agent(agent) => {
            let key = agent.key().filter(|key| key.kind == kind && filter.admits(key));
            filter = Visibility {
                platform: false,
                organizations: Organizations::Only(Vec::new()),
                account: None,
                also: key.into_iter().collect(),
            };
        }
    }
    Visible { kind, filter }
}

/// What the account may see, whatever its credential.
fn whole(directory: &Directory, caller: &Caller, kind: Kind) -> Visibility {
    let subject = Subject::Object(account(&caller.account));
    let query = Query::new(directory.graph());
    let whole = Caller { reach: crate::Reach::default(), ..caller.clone() };
    let operates = decide(directory, &whole, Action::Operate, Target::Platform).is_ok();
    let organizations = if operates {
        Organizations::All
    } else {
        let member = query.list_objects("organization", "member", &subject).unwrap_or_default();
        Organizations::Only(member.iter().filter_map(|object| object.id.parse().ok()).collect())
    };
    // The graph holds no implied tuples, so that this finds what was granted resource by resource, and nothing else.
    let granted = query.list_objects(kind.type_name(), Action::View.relation(), &subject);
    let mut filter =
        Visibility { platform: true, organizations, account: Some(caller.account.clone()), also: Vec::new() };
    let mut also: Vec<Key> = granted.unwrap_or_default().iter().filter_map(resource_of).collect();
    also.retain(|key| !filter.admits(key) && kind.allows(key.scope.name()) && key.scope != Scope::Platform);
    also.sort();
    filter.also = also;
    filter
}
