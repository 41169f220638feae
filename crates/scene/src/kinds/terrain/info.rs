//! The JSON keys of `info` for a map, and its navigation grid as JSON.

use serde_json::{Value, json};

use super::Terrain;
use super::fields::TileAt;
use super::legends::MAX_ISLANDS;
use super::navigation::{Domain, Island};
use crate::describe::numbers::number;
use crate::describe::table::{FieldKey, InfoKeys, ValueType};

/// The navigation grid of a map.
pub(crate) const NAVIGATION: ValueType = ValueType::Object(&[
    ("cells", ValueType::Integer),
    ("blocked_by_entities", ValueType::Integer),
    ("entities_left_out", ValueType::Integer),
    ("ground", DOMAIN),
    ("water", DOMAIN),
]);
/// The islands of a domain, the largest first.
const DOMAIN: ValueType = ValueType::Object(&[
    ("passable", ValueType::Integer),
    ("unreachable", ValueType::Integer),
    ("island_count", ValueType::Integer),
    ("listed", ValueType::Integer),
    ("islands", ValueType::List(&ISLAND)),
]);
const ISLAND: ValueType = ValueType::Object(&[
    ("island", ValueType::Integer),
    ("cells", ValueType::Integer),
    ("tile", ValueType::Integers(2)),
    ("x", ValueType::Number),
    ("z", ValueType::Number),
]);
/// Height of the ground at a point, in world units.
const HEIGHT: ValueType = ValueType::Object(&[
    ("x", ValueType::Number),
    ("z", ValueType::Number),
    ("y", ValueType::Number),
]);

impl Terrain {
    /// JSON keys of a map.
    pub(crate) fn info_keys() -> InfoKeys {
        let tile: fn() -> Vec<FieldKey> = || TileAt::FIELDS.listed_keys();
        InfoKeys::new(
            Self::FIELDS.listed_keys(),
            &[("navigation", NAVIGATION)],
            &[
                ("tile", ValueType::Record(tile)),
                ("heights", ValueType::List(&HEIGHT)),
            ],
        )
    }

    /// The navigation grid in JSON: the islands of each domain, the largest first.
    pub(crate) fn navigation_json(&self) -> Value {
        let grid = self.navigation();
        let domains = Domain::ALL.map(|domain| {
            let islands = grid.islands(domain);
            let island = |(nth, island): (usize, &Island)| {
                let (row, col) = island.first.tile();
                let middle = island.first.middle();
                let place = self.placement.world(middle.x, middle.y, 0.0);
                json!({
                    "island": nth,
                    "cells": island.cells,
                    "tile": [row, col],
                    "x": number(place.x),
                    "z": number(place.z),
                })
            };
            let listed = (1..).zip(islands.list.iter().take(MAX_ISLANDS));
            let json = json!({
                "passable": islands.passable(),
                "unreachable": islands.cut_off(),
                "island_count": islands.list.len(),
                "listed": islands.list.len().min(MAX_ISLANDS),
                "islands": listed.map(island).collect::<Value>(),
            });
            (domain.name().to_owned(), json)
        });
        let mut json = json!({
            "cells": grid.cells(),
            "blocked_by_entities": grid.blocked_by_entities(),
            "entities_left_out": grid.left_out(),
        });
        if let Value::Object(keys) = &mut json {
            keys.extend(domains);
        }
        json
    }
}
