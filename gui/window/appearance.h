// Light, dark, or as the desktop has it.
#pragma once

#include <QString>

namespace stallcast::gui {

enum class Appearance { kSystem, kLight, kDark };

// For the whole program, now.
void applyAppearance(Appearance appearance);

// "system", "light", "dark": as settings keep it; anything else is the system's.
QString appearanceWord(Appearance appearance);
Appearance appearanceOf(const QString& word);

}  // namespace stallcast::gui
