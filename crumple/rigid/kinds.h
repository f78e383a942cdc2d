#pragma once

/// Words that scenes and the engine share.
namespace crumple::rigid {

/// Scripted parts go where their velocity takes them, whatever they hit; while they move they carry and push others.
enum class Motion { Static, Dynamic, Scripted };

enum class JointKind { Hinge, Slider, Ball, Fixed, Plastic };

}  // namespace crumple::rigid
