//! Long-term memory: what every store of items does, through the public door (LangGraph F71, behaviour 58).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use stategraph_core::store::MemoryItems;
use stategraph_core::{
    Clock, Comparison, Filter, ItemNameError, ItemPath, ItemQuery, LongTermStore, PathQuery, PutItem,
    StoreError,
};
use stategraph_sled::ItemFiles;

/// A store of each kind, with the clock that both read.
struct Kit {
    stores: Vec<(&'static str, Arc<dyn LongTermStore>)>,
    now: Arc<AtomicU64>,
    _folder: tempfile::TempDir,
}

fn kit() -> Kit {
    let now = Arc::new(AtomicU64::new(1_000));
    let told = now.clone();
    let clock = Clock::from_fn(move || told.load(Ordering::Relaxed));
    let folder = tempfile::tempdir().unwrap();
    let stores: Vec<(_, Arc<dyn LongTermStore>)> = vec![
        ("memory", Arc::new(MemoryItems::with_clock(clock.clone()))),
        ("files", Arc::new(ItemFiles::open_with_clock(folder.path().join("items"), clock))),
    ];
    Kit { stores, now, _folder: folder }
}

fn path(path: &str) -> ItemPath {
    path.parse().unwrap()
}

fn put(at: &str, key: &str, value: Value) -> PutItem {
    PutItem::new(&path(at), key, value).unwrap()
}

async fn keys(store: &dyn LongTermStore, query: ItemQuery) -> Vec<String> {
    store.search(&query).await.unwrap().into_iter().map(|found| found.item.key).collect()
}

#[tokio::test]
async fn what_was_put_last_is_read_until_it_is_deleted() {
    let kit = kit();
    for (kind, store) in &kit.stores {
        let at = path("users.Ada Lovelace");
        store.put(put("users.Ada Lovelace", "Fact/1: ü", json!({"likes": "tea"}))).await.unwrap();
        kit.now.fetch_add(5, Ordering::Relaxed);
        store.put(put("users.Ada Lovelace", "Fact/1: ü", json!({"likes": "rust"}))).await.unwrap();
        let item = store.get(&at, "Fact/1: ü").await.unwrap().expect(kind);
        assert_eq!(item.value, json!({"likes": "rust"}), "{kind}");
        assert_eq!(item.updated_ms - item.created_ms, 5, "{kind}");
        assert_eq!(store.get(&at, "fact/1: ü").await.unwrap(), None, "{kind}: keys differ by case");
        store.delete(&at, "Fact/1: ü").await.unwrap();
        store.delete(&at, "Fact/1: ü").await.unwrap();
        assert_eq!(store.get(&at, "Fact/1: ü").await.unwrap(), None, "{kind}");
    }
}

#[tokio::test]
async fn a_prefix_fits_whole_labels_only() {
    let kit = kit();
    for (kind, store) in &kit.stores {
        for at in ["docs", "docs.rust", "docs.rust.async", "docsearch"] {
            store.put(put(at, "k", json!(at))).await.unwrap();
        }
        let found = store.search(&ItemQuery::below(&path("docs"))).await.unwrap();
        let paths: Vec<String> = found.iter().map(|found| found.item.path.to_string()).collect();
        assert_eq!(paths, ["docs", "docs.rust", "docs.rust.async"], "{kind}");
        assert_eq!(store.search(&ItemQuery::below(&path("doc"))).await.unwrap(), [], "{kind}");
    }
}

#[tokio::test]
async fn filters_compare_numbers_and_texts_and_nothing_else() {
    let kit = kit();
    for (kind, store) in &kit.stores {
        for (key, value) in [
            ("a", json!({"age": 30, "name": "ann", "home": {"city": "Oslo"}})),
            ("b", json!({"age": 41.5, "name": "bob"})),
            ("c", json!({"age": "old"})),
        ] {
            store.put(put("people", key, value)).await.unwrap();
        }
        for (filter, expected) in [
            (Filter::new("age", Comparison::Equal, 30.0), vec!["a"]),
            (Filter::new("age", Comparison::NotEqual, 30), vec!["b", "c"]),
            (Filter::new("age", Comparison::More, 30), vec!["b"]),
            (Filter::new("age", Comparison::AtLeast, 30), vec!["a", "b"]),
            (Filter::new("age", Comparison::Less, 41.5), vec!["a"]),
            (Filter::new("age", Comparison::AtMost, 41.5), vec!["a", "b"]),
            (Filter::new("name", Comparison::More, "ann"), vec!["b"]),
            (Filter::new("home.city", Comparison::Equal, "Oslo"), vec!["a"]),
            (Filter::new("absent", Comparison::AtMost, 1), vec![]),
        ] {
            let query = ItemQuery::default().filter(filter.clone());
            assert_eq!(keys(store.as_ref(), query).await, expected, "{kind}: {filter:?}");
        }
        let both = ItemQuery::default()
            .filter(Filter::new("age", Comparison::AtLeast, 30))
            .filter(Filter::new("name", Comparison::Equal, "bob"));
        assert_eq!(keys(store.as_ref(), both).await, ["b"], "{kind}");
    }
}

#[tokio::test]
async fn a_text_finds_what_speaks_of_it_the_best_first() {
    let kit = kit();
    for (kind, store) in &kit.stores {
        for (key, text) in [
            (
                "long",
                "A sled is pulled over snow by dogs, and by people, and now and then by a horse in winter",
            ),
            ("short", "Snow, snow, snow"),
            ("other", "The sea in summer"),
        ] {
            store.put(put("notes", key, json!({"text": text, "snow": 1}))).await.unwrap();
        }
        let found = store.search(&ItemQuery::default().text("SNOW sledge")).await.unwrap();
        let order: Vec<&str> = found.iter().map(|found| found.item.key.as_str()).collect();
        assert_eq!(order, ["short", "long"], "{kind}");
        assert!(found[0].score > found[1].score && found[1].score > Some(0.0), "{kind}");
    }
}

#[tokio::test]
async fn pages_follow_one_another() {
    let kit = kit();
    for (kind, store) in &kit.stores {
        for at in 0..25 {
            store.put(put("numbers", &format!("{at:02}"), json!(at))).await.unwrap();
        }
        assert_eq!(keys(store.as_ref(), ItemQuery::default()).await.len(), 10, "{kind}: ten unless said");
        let page = keys(store.as_ref(), ItemQuery::default().page(3, 23)).await;
        assert_eq!(page, ["23", "24"], "{kind}");
    }
}

#[tokio::test]
async fn an_item_is_over_when_nobody_put_or_read_it_for_its_time() {
    let kit = kit();
    for (kind, store) in &kit.stores {
        let brief = || put("brief", "k", json!(1)).ttl(Duration::from_millis(100));
        store.put(brief()).await.unwrap();
        store.put(put("brief", "for ever", json!(2))).await.unwrap();
        kit.now.fetch_add(99, Ordering::Relaxed);
        assert!(store.get(&path("brief"), "k").await.unwrap().is_some(), "{kind}");
        kit.now.fetch_add(99, Ordering::Relaxed);
        assert_eq!(store.sweep().await.unwrap(), 0, "{kind}: reading began its life anew");
        kit.now.fetch_add(1, Ordering::Relaxed);
        assert_eq!(store.get(&path("brief"), "k").await.unwrap(), None, "{kind}");
        assert_eq!(keys(store.as_ref(), ItemQuery::default()).await, ["for ever"], "{kind}");
        assert_eq!(store.sweep().await.unwrap(), 1, "{kind}");
        assert_eq!(store.sweep().await.unwrap(), 0, "{kind}");
        store.put(brief()).await.unwrap();
        let item = store.get(&path("brief"), "k").await.unwrap().unwrap();
        assert_eq!(item.created_ms, item.updated_ms, "{kind}: it does not go on from the one that was over");
    }
}

#[tokio::test]
async fn paths_are_listed_by_how_they_begin_and_end() {
    let kit = kit();
    for (kind, store) in &kit.stores {
        for at in ["a.x.facts", "a.y.facts", "a.y.plans", "b.x.facts"] {
            store.put(put(at, "k", json!(0))).await.unwrap();
        }
        for (query, expected) in [
            (PathQuery::default().prefix(["a"]), "a.x.facts a.y.facts a.y.plans"),
            (PathQuery::default().prefix(["*", "x"]), "a.x.facts b.x.facts"),
            (PathQuery::default().suffix(["plans"]), "a.y.plans"),
            (PathQuery::default().depth(2), "a.x a.y b.x"),
            (PathQuery::default().page(1, 1), "a.y.facts"),
        ] {
            let found: Vec<String> =
                store.paths(&query).await.unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(found.join(" "), expected, "{kind}: {query:?}");
        }
    }
}

#[test]
fn names_that_cannot_be_are_refused() {
    assert_eq!("a..b".parse::<ItemPath>(), Err(ItemNameError::EmptyLabel("a..b".to_owned())));
    assert_eq!(ItemPath::new(["a.b"]), Err(ItemNameError::Dot("a.b".to_owned())));
    assert_eq!(ItemPath::new(["x".repeat(513)]), Err(ItemNameError::TooLong(513)));
    assert_eq!(PutItem::new(&path("a"), "", 1), Err(ItemNameError::EmptyKey));
}

#[tokio::test]
async fn hostile_names_stay_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = ItemFiles::open(folder.path().join("items"));
    for key in ["../../escape", "/etc/passwd", "..", "con", "\0", "a\nb", &"k".repeat(512)] {
        store.put(put("a", key, json!(key))).await.unwrap();
        assert_eq!(store.get(&path("a"), key).await.unwrap().unwrap().value, json!(key));
    }
    let outside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(outside, ["items"]);
}

#[tokio::test]
async fn two_that_have_the_folder_open_see_each_others_items() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (ItemFiles::open(folder.path()), ItemFiles::open(folder.path()));
    one.put(put("a", "k", json!(1))).await.unwrap();
    other.put(put("a", "k", json!(2))).await.unwrap();
    assert_eq!(one.get(&path("a"), "k").await.unwrap().unwrap().value, json!(2));
}

#[tokio::test]
async fn a_damaged_file_is_named_and_a_put_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = ItemFiles::open(folder.path());
    store.put(put("a", "k", json!(1))).await.unwrap();
    let file = folder.path().join("a/k.json");
    std::fs::write(&file, b"{\"path\":\"a\",\"key").unwrap();
    let error = store.get(&path("a"), "k").await.unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt { path, .. } if *path == file), "{error}");
    store.put(put("a", "k", json!(2))).await.unwrap();
    assert_eq!(store.get(&path("a"), "k").await.unwrap().unwrap().value, json!(2));
}
