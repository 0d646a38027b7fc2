//! Small random worlds: a valid model of three types and four relations with every operator, and tuples that fit it.
//!
//! No world is deep enough for the limit on depth, so that what the laws compare are answers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fga::schema::{
    ConditionDefinition, Form, ParameterType, RelationDefinition, Restriction, Rewrite, Schema,
    TypeDefinition,
};
use fga::{Context, Error, Graph, Limits, Model, Object, Query, Subject, Tuple, TupleCondition, UserFilter};
use proptest::prelude::*;
use serde_json::json;

/// Types whose objects have relations; `user` has none.
pub const TYPES: [&str; 2] = ["a", "b"];
/// Their relations; the first points to parents.
pub const RELATIONS: [&str; 4] = ["parent", "r0", "r1", "r2"];
/// Ids of each type.
pub const IDS: [&str; 3] = ["1", "2", "3"];

/// From here on a draft's last number asks for empty groups beside the one it names.
const CROWDED: u8 = 230;

/// A model, tuples that fit it, and a request's context.
#[derive(Clone)]
pub struct World {
    pub model: Arc<Model>,
    /// No two have the same object, relation and subject.
    pub tuples: Vec<Tuple>,
    pub context: Context,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.model.schema().to_dsl())?;
        for tuple in &self.tuples {
            let with = tuple.condition.as_ref().map(|held| format!(" with {:?}", held.context));
            writeln!(f, "{tuple}{}", with.unwrap_or_default())?;
        }
        write!(f, "context {:?}", self.context)
    }
}

impl World {
    /// Its tuples stored.
    pub fn graph(&self) -> Graph {
        self.graph_of(self.tuples.iter())
    }

    /// These tuples stored.
    pub fn graph_of<'a>(&self, tuples: impl Iterator<Item = &'a Tuple>) -> Graph {
        let mut graph = Graph::new(Arc::clone(&self.model));
        for tuple in tuples {
            graph.insert(tuple).unwrap();
        }
        graph
    }
}

/// As many usersets as make an object a crowded one, beside the one that `tuple` names; nobody belongs to them.
pub fn empty_groups_beside(tuple: &Tuple) -> Vec<Tuple> {
    let Subject::Userset(group, relation) = &tuple.subject else { return Vec::new() };
    let empty =
        |number| Subject::Userset(Object::new(&group.type_name, format!("empty{number}")), relation.clone());
    (0..17).map(|number| Tuple { subject: empty(number), ..tuple.clone() }).collect()
}

/// Every subject that can be asked about.
pub fn subjects() -> Vec<Subject> {
    let users = IDS.iter().map(|id| Subject::Object(Object::new("user", *id)));
    let usersets = objects().into_iter().flat_map(|object| {
        RELATIONS.iter().map(move |relation| Subject::Userset(object.clone(), (*relation).to_owned()))
    });
    let plain = objects().into_iter().map(Subject::Object);
    users.chain(usersets).chain(plain).chain([Subject::Wildcard("user".to_owned())]).collect()
}

/// Every object that has relations.
pub fn objects() -> Vec<Object> {
    TYPES.iter().flat_map(|type_name| IDS.iter().map(|id| Object::new(*type_name, *id))).collect()
}

/// A question about a graph with more tuples on top.
pub fn ask<'a>(graph: &'a Graph, contextual: &'a [Tuple], context: &'a Context) -> Query<'a> {
    let limits = Limits { contextual: usize::MAX, ..Limits::default() };
    Query::new(graph).contextual(contextual).context(context).limits(limits)
}

/// The answer to every question there is; what has no answer is `error`.
pub fn answers(query: &Query<'_>) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    for relation in RELATIONS {
        for subject in subjects() {
            for object in objects() {
                let answer = show(query.check(&object, relation, &subject).map(|yes| [yes]));
                answers.insert(format!("check {subject} {relation} {object}"), answer);
            }
            for type_name in TYPES {
                let answer = show(query.list_objects(type_name, relation, &subject));
                answers.insert(format!("list_objects {subject} {relation} {type_name}"), answer);
            }
        }
        for object in objects() {
            for filter in ["user", "a", "a#r0", "b#r1"] {
                let filter_of: UserFilter = filter.parse().unwrap();
                let answer = show(query.list_users(&object, relation, &filter_of));
                answers.insert(format!("list_users {object} {relation} {filter}"), answer);
            }
        }
    }
    answers
}

/// The questions answered differently, with both answers.
pub fn differences(ones: &BTreeMap<String, String>, others: &BTreeMap<String, String>) -> Vec<String> {
    assert!(ones.keys().eq(others.keys()), "the same questions were asked");
    let pairs = ones.iter().zip(others.values()).filter(|((_, one), other)| one != other);
    pairs.map(|((question, one), other)| format!("{question}: {one} or {other}")).collect()
}

fn show<T: ToString>(answer: Result<impl IntoIterator<Item = T>, Error>) -> String {
    match answer {
        Ok(items) => items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" "),
        Err(_) => "error".to_owned(),
    }
}

/// Any world.
pub fn world() -> impl Strategy<Value = World> {
    worlds(true)
}

/// A world without intersection and exclusion.
pub fn monotone_world() -> impl Strategy<Value = World> {
    worlds(false)
}

fn worlds(every_operator: bool) -> impl Strategy<Value = World> {
    let relation = (rewrite(every_operator), prop::collection::vec(any::<u8>(), 1..4));
    let relations = prop::collection::vec(relation, 6);
    let model = (relations, any::<[u8; 2]>(), any::<bool>()).prop_filter_map(
        "the model is not valid",
        |(relations, parents, conditions)| {
            Model::new(schema(&relations, parents, conditions)).ok().map(Arc::new)
        },
    );
    let drafts = prop::collection::vec(any::<[u8; 6]>(), 0..16);
    (model, drafts, any::<u8>()).prop_map(|(model, drafts, context)| {
        let mut tuples: BTreeMap<String, Tuple> = BTreeMap::new();
        for draft in drafts {
            if let Some(tuple) = tuple(model.schema(), draft) {
                let beside = if draft[5] >= CROWDED { empty_groups_beside(&tuple) } else { Vec::new() };
                for tuple in beside.into_iter().chain([tuple]) {
                    tuples.insert(tuple.to_string(), tuple);
                }
            }
        }
        World { model, tuples: tuples.into_values().collect(), context: context_of(context) }
    })
}

fn rewrite(every_operator: bool) -> impl Strategy<Value = Rewrite> {
    let name = |number: u8| RELATIONS[1 + usize::from(number % 3)].to_owned();
    let leaf = prop_oneof![
        3 => Just(Rewrite::This),
        2 => any::<u8>().prop_map(move |number| Rewrite::Computed(name(number))),
        2 => any::<u8>().prop_map(move |number| Rewrite::TupleToUserset {
            tupleset: "parent".to_owned(),
            computed: name(number),
        }),
    ];
    leaf.prop_recursive(2, 7, 3, move |inner| {
        let several = prop::collection::vec(inner.clone(), 2..4);
        let union = several.clone().prop_map(Rewrite::Union).boxed();
        if !every_operator {
            return union;
        }
        let exclusion = (inner.clone(), inner).prop_map(|(base, subtract)| Rewrite::Exclusion {
            base: Box::new(base),
            subtract: Box::new(subtract),
        });
        prop_oneof![union, several.prop_map(Rewrite::Intersection), exclusion].boxed()
    })
}

fn schema(relations: &[(Rewrite, Vec<u8>)], parents: [u8; 2], conditions: bool) -> Schema {
    let of_type = |index: usize| {
        let parent = RelationDefinition {
            name: "parent".to_owned(),
            rewrite: Rewrite::This,
            assignable: parent_restrictions(parents[index], conditions),
        };
        let others = (0..3).map(|number| {
            let (rewrite, brackets) = &relations[index * 3 + number];
            let rewrite = without_loop(rewrite, number);
            let direct = has_this(&rewrite);
            let assignable = if direct { restrictions(brackets, conditions) } else { Vec::new() };
            RelationDefinition { name: RELATIONS[1 + number].to_owned(), rewrite, assignable }
        });
        TypeDefinition {
            name: TYPES[index].to_owned(),
            relations: std::iter::once(parent).chain(others).collect(),
        }
    };
    let user = TypeDefinition { name: "user".to_owned(), relations: Vec::new() };
    let condition = ConditionDefinition {
        name: "small".to_owned(),
        parameters: vec![("x".to_owned(), ParameterType::Int)],
        expression: "x < 5".to_owned(),
    };
    Schema {
        types: vec![user, of_type(0), of_type(1)],
        conditions: if conditions { vec![condition] } else { Vec::new() },
    }
}

/// A relation computes only from those before it, or the model would not be valid.
fn without_loop(rewrite: &Rewrite, number: usize) -> Rewrite {
    let all = |children: &[Rewrite]| children.iter().map(|child| without_loop(child, number)).collect();
    match rewrite {
        Rewrite::Computed(_) if number == 0 => Rewrite::This,
        Rewrite::Computed(name) => {
            let at = RELATIONS.iter().position(|known| known == name).unwrap();
            Rewrite::Computed(RELATIONS[1 + at % number].to_owned())
        }
        Rewrite::Union(children) => Rewrite::Union(all(children)),
        Rewrite::Intersection(children) => Rewrite::Intersection(all(children)),
        Rewrite::Exclusion { base, subtract } => Rewrite::Exclusion {
            base: Box::new(without_loop(base, number)),
            subtract: Box::new(without_loop(subtract, number)),
        },
        Rewrite::This | Rewrite::TupleToUserset { .. } => rewrite.clone(),
    }
}

fn has_this(rewrite: &Rewrite) -> bool {
    match rewrite {
        Rewrite::This => true,
        Rewrite::Computed(_) | Rewrite::TupleToUserset { .. } => false,
        Rewrite::Union(children) | Rewrite::Intersection(children) => children.iter().any(has_this),
        Rewrite::Exclusion { base, subtract } => has_this(base) || has_this(subtract),
    }
}

fn restriction(type_name: &str, form: Form, conditioned: bool) -> Restriction {
    let condition = conditioned.then(|| "small".to_owned());
    Restriction { type_name: type_name.to_owned(), form, condition }
}

fn parent_restrictions(number: u8, conditions: bool) -> Vec<Restriction> {
    let types: &[&str] = [&TYPES[..], &TYPES[..1], &TYPES[1..]][usize::from(number % 3)];
    let conditioned = conditions && number & 0x40 != 0;
    types.iter().map(|type_name| restriction(type_name, Form::Object, conditioned)).collect()
}

fn restrictions(brackets: &[u8], conditions: bool) -> Vec<Restriction> {
    let mut found: Vec<Restriction> = Vec::new();
    for number in brackets {
        let userset = || Form::Userset(RELATIONS[1 + usize::from(number / 16 % 3)].to_owned());
        let conditioned = conditions && number & 0x80 != 0;
        let entry = match number % 8 {
            0..=2 => restriction("user", Form::Object, conditioned),
            3 => restriction("user", Form::Wildcard, conditioned),
            4 => restriction("a", Form::Object, conditioned),
            5 | 6 => restriction("a", userset(), conditioned),
            _ => restriction("b", userset(), conditioned),
        };
        if !found.contains(&entry) {
            found.push(entry);
        }
    }
    found
}

fn tuple(schema: &Schema, [of, id, relation, entry, subject, context]: [u8; 6]) -> Option<Tuple> {
    let pick = |number: u8| IDS[usize::from(number) % IDS.len()];
    let definition = &schema.types[1 + usize::from(of % 2)];
    let relation = &definition.relations[usize::from(relation) % definition.relations.len()];
    let entries = relation.assignable.len();
    let entry = relation.assignable.get(usize::from(entry).checked_rem(entries)?)?;
    let named = Object::new(&entry.type_name, pick(subject));
    Some(Tuple {
        object: Object::new(&definition.name, pick(id)),
        relation: relation.name.clone(),
        subject: match &entry.form {
            Form::Object => Subject::Object(named),
            Form::Wildcard => Subject::Wildcard(entry.type_name.clone()),
            Form::Userset(userset) => Subject::Userset(named, userset.clone()),
        },
        condition: entry.condition.clone().map(|name| TupleCondition { name, context: context_of(context) }),
    })
}

/// Nothing, a value for which the condition holds, or one for which it does not.
fn context_of(number: u8) -> Context {
    match number % 3 {
        0 => Context::new(),
        1 => Context::from_iter([("x".to_owned(), json!(1))]),
        _ => Context::from_iter([("x".to_owned(), json!(9))]),
    }
}
