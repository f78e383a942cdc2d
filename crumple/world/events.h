#pragma once

#include "crumple/world/state.h"

/// Events of a scene: what begins with the first contact of two bodies.
namespace crumple {

/// Numbers all events; they have not happened yet.
void number_events(WorldState& w);
/// Contacts of the last step make events happen, at the time now reached.
void note_events(WorldState& w);
/// The time from which times count that may wait for an event; nothing if it has not come.
std::optional<double> begin_of(const WorldState& w, const std::optional<When>& when);
/// Whether a word of the scene is a body's name or group.
bool is_meant(const BodyDescription& body, const std::string& word);

/// Bodies that wait for their release; after times of events were restored.
void hold_bodies(WorldState& w);
/// Lets bodies go whose release has come. Returns whether there were any.
bool release_bodies(WorldState& w);

}  // namespace crumple
