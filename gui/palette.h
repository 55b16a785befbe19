// Colours that depend on light or dark: those of chart_colours(), and of what got better or worse.
#pragma once

#include <QColor>
#include <QPalette>

namespace stallcast::gui {

bool isDark(const QPalette& palette);

// The colour of a series on this ground; an index beyond the last begins again.
QColor chartColour(int index, const QPalette& palette);

// Blue for better and vermilion for worse, told apart with any colour vision; never the only mark of it.
QColor betterColour(const QPalette& palette);
QColor worseColour(const QPalette& palette);

// Of what is wrong, and of what a person is warned of.
QColor findingColour(const QPalette& palette, bool error);

// Lines and text that step back behind what they belong to, as `strength` (0 to 1) of the text's own contrast.
QColor mutedText(const QPalette& palette, double strength = 0.65);

// Palettes for the whole program where a person chooses one against the desktop's.
QPalette lightPalette();
QPalette darkPalette();

}  // namespace stallcast::gui
