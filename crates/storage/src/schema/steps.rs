//! The schema, as steps that are only ever added to.
//!
//! `{text}` compares byte by byte on both databases; `{clustered}` keeps rows in the order of their key.

pub(super) const STEPS: [&str; 10] =
    [META, RESOURCES, RELATIONS, CHANGES, AUDIT, RECORDS, DENIALS, HOLDINGS, RECORD_CHANGES, RIGHTS];

const META: &str = "
CREATE TABLE meta (
    id BIGINT NOT NULL PRIMARY KEY,
    revision BIGINT NOT NULL,
    oldest BIGINT NOT NULL,
    format BIGINT NOT NULL,
    key_id {text},
    key_check {bytes}
){clustered};
INSERT INTO meta (id, revision, oldest, format) VALUES (1, 0, 0, 1)";

const RESOURCES: &str = "
CREATE TABLE resources (
    kind {text} NOT NULL,
    name {text} NOT NULL,
    scope {text} NOT NULL,
    holder {text} NOT NULL,
    id {text} NOT NULL UNIQUE,
    revision BIGINT NOT NULL,
    body {text} NOT NULL,
    search {text} NOT NULL,
    tags {text} NOT NULL,
    mentions {text} NOT NULL,
    created_at BIGINT NOT NULL,
    created_by {text} NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by {text} NOT NULL,
    PRIMARY KEY (kind, name, scope, holder)
);
CREATE TABLE tags (
    kind {text} NOT NULL,
    tag {text} NOT NULL,
    name {text} NOT NULL,
    scope {text} NOT NULL,
    holder {text} NOT NULL,
    PRIMARY KEY (kind, tag, name, scope, holder)
){clustered}";

const RELATIONS: &str = "
CREATE TABLE mentions (
    target_kind {text} NOT NULL,
    target_name {text} NOT NULL,
    kind {text} NOT NULL,
    name {text} NOT NULL,
    scope {text} NOT NULL,
    holder {text} NOT NULL,
    path {text} NOT NULL,
    reference {text} NOT NULL,
    PRIMARY KEY (target_kind, target_name, kind, name, scope, holder, path)
){clustered};
CREATE TABLE secrets (
    resource_id {text} NOT NULL,
    slot {text} NOT NULL,
    version BIGINT NOT NULL,
    key_id {text} NOT NULL,
    wrapped {bytes} NOT NULL,
    sealed {bytes} NOT NULL,
    PRIMARY KEY (resource_id, slot)
){clustered}";

const CHANGES: &str = "
CREATE TABLE changes (
    revision BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    at BIGINT NOT NULL,
    action {text} NOT NULL,
    kind {text} NOT NULL,
    name {text} NOT NULL,
    scope {text} NOT NULL,
    holder {text} NOT NULL,
    resource_id {text} NOT NULL,
    record {text},
    PRIMARY KEY (revision, ordinal)
){clustered}";

const AUDIT: &str = "
CREATE TABLE audit (
    revision BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor {text} NOT NULL,
    via {text} NOT NULL,
    action {text} NOT NULL,
    kind {text} NOT NULL,
    name {text} NOT NULL,
    scope {text} NOT NULL,
    holder {text} NOT NULL,
    resource_id {text} NOT NULL,
    detail {text} NOT NULL,
    PRIMARY KEY (revision, ordinal)
){clustered}";

const RECORDS: &str = "
CREATE TABLE records (
    collection {text} NOT NULL,
    id {text} NOT NULL,
    belongs_kind {text} NOT NULL,
    belongs_name {text} NOT NULL,
    belongs_scope {text} NOT NULL,
    belongs_holder {text} NOT NULL,
    revision BIGINT NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (collection, id)
){clustered};
CREATE INDEX records_of_resource ON records (belongs_kind, belongs_name, belongs_scope, belongs_holder)
    WHERE belongs_kind <> ''";

const DENIALS: &str = "
CREATE TABLE denials (
    at BIGINT NOT NULL,
    id {text} NOT NULL,
    actor {text} NOT NULL,
    via {text} NOT NULL,
    action {text} NOT NULL,
    target {text} NOT NULL,
    reason {text} NOT NULL,
    PRIMARY KEY (at, id)
){clustered}";

const HOLDINGS: &str = "
CREATE INDEX resources_of_holder ON resources (kind, scope, holder, name)";

const RECORD_CHANGES: &str = "
CREATE INDEX changes_of_records ON changes (revision, ordinal) WHERE scope = ''";

const RIGHTS: &str = "
ALTER TABLE meta ADD COLUMN records BIGINT NOT NULL DEFAULT 0";
