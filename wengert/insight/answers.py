"""What tapes ask for: the journal, and the answers."""

from wengert.insight.drawing.draw import draw_of_tape as draw_of_tape
from wengert.insight.explain.entry import explain_tape as explain_tape
from wengert.insight.explain.met import met as met
from wengert.insight.journal import Journal as Journal
from wengert.insight.source.program import source_of_tape as source_of_tape
