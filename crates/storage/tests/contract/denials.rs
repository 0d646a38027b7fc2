//! Denials: kept without a revision, in order of time, and never at anybody else's cost.

use std::time::Duration;

use model::{Revision, Timestamp};
use storage::{Denied, Options, Retention, Store};

use super::fixture::{FOREVER, Fixture, now, on_both, server, set};

on_both!(
    denials_are_kept_in_the_order_of_time_and_read_page_by_page,
    a_denial_is_no_revision_and_comes_before_what_is_written_after_it,
    queued_denials_are_kept_at_shutdown,
    denials_are_forgotten_like_audit_rows,
    a_denial_may_hold_any_text,
    a_denial_that_cannot_be_kept_costs_no_write,
    a_flood_of_denials_is_kept_whole,
);

fn denied(at: Timestamp, target: &str) -> Denied {
    let word = str::to_owned;
    Denied {
        at,
        actor: word("bob"),
        via: word("cli"),
        action: word("edit"),
        target: word(target),
        reason: word("no"),
    }
}

async fn targets(store: &Store) -> Vec<String> {
    let kept = store.denials(None, 100_000).await.unwrap();
    kept.into_iter().map(|(_, denied)| denied.target).collect()
}

async fn denials_are_kept_in_the_order_of_time_and_read_page_by_page(fixture: Fixture) {
    for (millis, target) in [(30, "d"), (10, "b"), (10, "c"), (-5, "a"), (40, "e")] {
        fixture.store.deny(denied(Timestamp::from_millis(millis), target)).await;
    }
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    let all = fixture.store.denials(None, 100).await.unwrap();
    let times: Vec<i64> = all.iter().map(|(_, denied)| denied.at.as_millis()).collect();
    assert_eq!(times, [-5, 10, 10, 30, 40]);
    assert_eq!(all[0].1, denied(Timestamp::from_millis(-5), "a"), "every word is kept");
    assert_ne!(all[1].0, all[2].0);
    for size in 1..=6 {
        let (mut after, mut seen) = (None, Vec::new());
        loop {
            let page = fixture.store.denials(after, size).await.unwrap();
            assert!(page.len() <= size);
            let Some((id, last)) = page.last() else { break };
            after = Some((last.at, id.clone()));
            seen.extend(page);
        }
        assert_eq!(seen, all, "pages of {size}");
    }
}

async fn a_denial_is_no_revision_and_comes_before_what_is_written_after_it(fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    fixture.store.deny(denied(now(), "one")).await;
    let unchanged = fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    assert_eq!(unchanged.revision, Revision(1));
    assert_eq!(
        targets(&fixture.store).await,
        ["one"],
        "a write that changes nothing takes it along all the same"
    );
    fixture.store.deny(denied(now(), "two")).await;
    assert_eq!(fixture.commit(vec![set(server("a"), 2)]).await.unwrap().revision, Revision(2));
    assert_eq!(targets(&fixture.store).await.len(), 2);
    let mut watch = fixture.store.watch(Revision(0));
    for revision in 1..=2 {
        assert_eq!(watch.next().await.unwrap().revision, Revision(revision));
    }
    assert_eq!(fixture.store.audit((Revision(0), 0), 9).await.unwrap().len(), 2);
    fixture.store.deny(denied(now(), "three")).await;
    let alone = async {
        while targets(&fixture.store).await.len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), alone).await.expect("it waits for no write");
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(2));
}

async fn queued_denials_are_kept_at_shutdown(mut fixture: Fixture) {
    for n in 0..50 {
        fixture.store.deny(denied(Timestamp::from_millis(n), &format!("t{n}"))).await;
    }
    fixture.stop().await;
    let expected: Vec<_> = (0..50).map(|n| format!("t{n}")).collect();
    assert_eq!(targets(&fixture.store).await, expected);
    fixture.store.deny(denied(now(), "late")).await;
    assert_eq!(targets(&fixture.store).await.len(), 50, "a store that is closed keeps nothing and says so");
}

async fn denials_are_forgotten_like_audit_rows(mut fixture: Fixture) {
    for n in 0..4500 {
        fixture.store.deny(denied(Timestamp::from_millis(n), "old")).await;
    }
    fixture.store.deny(denied(now(), "new")).await;
    fixture.stop().await;
    let open = async |retention| {
        let options = Options { database: fixture.database.clone(), retention };
        Store::open(options, fixture.keyring()).await.unwrap().0
    };
    let hour = Duration::from_hours(1);
    let kept = open(Retention { history: hour, ..FOREVER }).await;
    assert_eq!(targets(&kept).await.len(), 4501, "only the audit log's setting counts");
    let kept = open(Retention { audit: hour, ..FOREVER }).await;
    assert_eq!(targets(&kept).await, ["new"]);
}

async fn a_denial_may_hold_any_text(fixture: Fixture) {
    let texts = ["", "a\0b", "'; DROP TABLE denials", "\u{1F600}", &"x".repeat(100_000)];
    for (text, at) in texts.iter().zip(0..) {
        fixture.store.deny(denied(Timestamp::from_millis(at), text)).await;
    }
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    let expected: Vec<_> = texts.iter().map(|text| text.replace('\0', "")).collect();
    assert_eq!(targets(&fixture.store).await, expected);
}

async fn a_denial_that_cannot_be_kept_costs_no_write(fixture: Fixture) {
    fixture.sql("ALTER TABLE denials RENAME TO elsewhere").await;
    for n in 0..20 {
        fixture.store.deny(denied(now(), "lost")).await;
        let done = fixture.commit(vec![set(server("a"), n)]).await.unwrap();
        assert_eq!(done.revision, Revision(n + 1));
    }
    fixture.sql("ALTER TABLE elsewhere RENAME TO denials").await;
    fixture.store.deny(denied(now(), "kept")).await;
    fixture.commit(vec![set(server("b"), 1)]).await.unwrap();
    assert_eq!(targets(&fixture.store).await, ["kept"]);
}

async fn a_flood_of_denials_is_kept_whole(fixture: Fixture) {
    let floods: Vec<_> = (0..4)
        .map(|_| {
            let store = fixture.store.clone();
            tokio::spawn(async move {
                for _ in 0..1500 {
                    store.deny(denied(now(), "x")).await;
                }
            })
        })
        .collect();
    for n in 0..20 {
        fixture.commit(vec![set(server("a"), n)]).await.unwrap();
    }
    for flood in floods {
        flood.await.unwrap();
    }
    fixture.commit(vec![set(server("b"), 1)]).await.unwrap();
    assert_eq!(targets(&fixture.store).await.len(), 6000);
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(21));
}
