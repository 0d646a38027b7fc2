//! The functions and types an expression finds, built once for the process. Where CEL's own reading is looser
//! than OpenFGA's, or unbounded, the name leads to the reading here instead.

use std::sync::{Arc, LazyLock};

use cel::common::types::{CelBool, CelString, DYN_TYPE, STRING_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::address::Address;
use super::{limits, moment, pattern};

/// The functions that an expression may call, by their names there: not as methods.
pub(super) const FUNCTIONS: [&str; 13] = [
    "size",
    "int",
    "uint",
    "double",
    "string",
    "bool",
    "bytes",
    "type",
    "dyn",
    "matches",
    "timestamp",
    "duration",
    "ipaddress",
];

/// The methods that an expression may call.
pub(super) const METHODS: [&str; 16] = [
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "in_cidr",
    "getFullYear",
    "getMonth",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
];

/// The names that lead elsewhere than CEL's own: an expression cannot write the second ones.
pub(super) const REPLACED: [(&str, &str); 3] =
    [("matches", MATCHES), ("timestamp", "@timestamp"), ("duration", "@duration")];

/// The name that `matches` has in a compiled expression.
pub(super) const MATCHES: &str = "@matches";

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Outcome<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

static ENVIRONMENT: LazyLock<Arc<Env>> =
    LazyLock::new(|| Arc::new(build().expect("no name is declared twice")));

/// The environment that all conditions share.
pub(super) fn environment() -> Arc<Env> {
    Arc::clone(&ENVIRONMENT)
}

fn build() -> Result<Env, DeclarationError> {
    // Optional values swallow failures, and OpenFGA does not have them.
    let mut env = Env::stdlib().with_optional_support(false);
    env.add_type(Address::cel_type().to_owned())?;
    env.add_overload("ipaddress", "string_to_ipaddress", vec![STRING_TYPE], to_address)?;
    let address = Address::cel_type().to_owned();
    env.add_member_overload("in_cidr", "ipaddress_in_cidr", address, vec![STRING_TYPE], in_cidr)?;
    env.add_overload(MATCHES, "bounded_matches", vec![STRING_TYPE, STRING_TYPE], matches)?;
    env.add_member_overload(MATCHES, "string_bounded_matches", STRING_TYPE, vec![STRING_TYPE], matches)?;
    env.add_overload("@timestamp", "strict_timestamp", vec![DYN_TYPE], to_timestamp)?;
    env.add_overload("@duration", "strict_duration", vec![DYN_TYPE], to_duration)?;
    Ok(env)
}

fn text<'a>(value: &'a CowVal<'_, '_>) -> Option<&'a str> {
    let value: &'a (dyn Val + '_) = value.as_ref();
    <&str>::try_from(value).ok()
}

fn standard<'b, 'v>(name: &str, arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let overload = ENVIRONMENT.find_overload(name, &arguments);
    let kinds = || arguments.iter().map(|argument| argument.get_type().name().to_owned()).collect();
    let overload = overload.ok_or_else(|| ExecutionError::no_such_overload(name, kinds()))?;
    overload(arguments)
}

fn to_address<'b, 'v>(arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let address = arguments.into_iter().next().and_then(|argument| Address::parse(text(&argument)?));
    let fault = || ExecutionError::function_error("ipaddress", "the text is not an IP address");
    address.map(CowVal::owned).ok_or_else(fault)
}

fn in_cidr<'b, 'v>(arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let mut arguments = arguments.into_iter();
    let (address, network) = (arguments.next(), arguments.next());
    let within = address.zip(network).and_then(|(address, network)| {
        let address = address.downcast_ref::<Address>()?;
        address.in_cidr(text(&network)?)
    });
    let fault = || ExecutionError::function_error("in_cidr", "the text is not a network");
    within.map(|within| CowVal::owned(CelBool::from(within))).ok_or_else(fault)
}

fn matches<'b, 'v>(arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let work = match arguments.as_slice() {
        [subject, pattern] => text(subject)
            .zip(text(pattern))
            .map(|(subject, pattern)| (subject.len(), pattern::weight(pattern))),
        _ => None,
    };
    let (length, weight) = work.unwrap_or((usize::MAX, u64::MAX));
    if weight > limits::PATTERN_WEIGHT || weight.saturating_mul(length as u64) > limits::MATCH_WORK {
        return Err(ExecutionError::function_error("matches", "the pattern is too heavy for the text"));
    }
    standard("matches", arguments)
}

/// The value of a timestamp's text.
pub(super) fn timestamp<'v>(text: &str) -> Option<Box<dyn Val + 'v>> {
    let utc = moment::in_utc(text)?;
    Some(standard("timestamp", vec![CowVal::owned(CelString::from(utc))]).ok()?.into_owned())
}

/// The value of a duration's text.
pub(super) fn duration<'v>(text: &str) -> Option<Box<dyn Val + 'v>> {
    let exact = moment::exact_duration(moment::nanoseconds(text)?);
    Some(standard("duration", vec![CowVal::owned(CelString::from(exact))]).ok()?.into_owned())
}

/// Whether CEL reads a text as a regular expression.
pub(super) fn is_pattern(text: &str) -> bool {
    let arguments = vec![CowVal::owned(CelString::from("")), CowVal::owned(CelString::from(text))];
    standard("matches", arguments).is_ok()
}

fn to_timestamp<'b, 'v>(arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let Some(text) = arguments.first().and_then(text) else { return standard("timestamp", arguments) };
    let fault = || ExecutionError::function_error("timestamp", "the text is not a time of RFC 3339");
    timestamp(text).map(CowVal::Owned).ok_or_else(fault)
}

fn to_duration<'b, 'v>(arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let Some(text) = arguments.first().and_then(text) else { return standard("duration", arguments) };
    let fault = || ExecutionError::function_error("duration", "the text is not a duration");
    duration(text).map(CowVal::Owned).ok_or_else(fault)
}
