"""The loss of CTC: the likelihood of labels over all their alignments."""

from __future__ import annotations

from typing import Any, Final

from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call


def _of_alignments(name: str) -> Any:
    def template(*xs: Symbol, blank: int) -> Text:
        return call(name, *[x.text for x in xs], int(blank))

    return template


TEMPLATES: Final = {
    "CTCLoss": _of_alignments("_alignment_loss"),
    "CTCLossOccupancy": _of_alignments("_alignment_shares"),
}

HELPERS: Final = {
    "_alignment_states": '''
def _alignment_states(labels, lengths, blank):
    """For each state its class, whether it skips a blank, whether it is last."""
    batch, longest = labels.shape
    classes = np.full((batch, 2 * longest + 1), blank, np.int64)
    classes[:, 1::2] = labels
    skips = np.zeros(classes.shape, bool)
    skips[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    place, last = np.arange(classes.shape[1]), 2 * lengths[:, None]
    classes[place > last] = blank
    return classes, skips, (place == last) | (place == last - 1)
''',
    "_from_three": """
def _from_three(now, skips, one, two):
    before, skipped = np.full_like(now, -1e30), np.full_like(now, -1e30)
    before[one[0]], skipped[two[0]] = now[one[1]], now[two[1]]
    skipped = np.where(skips, skipped, -1e30)
    return np.logaddexp(np.logaddexp(now, before), skipped)
""",
    "_alignment_walk": """
def _alignment_walk(scores, skips):
    one, two = (np.s_[:, 1:], np.s_[:, :-1]), (np.s_[:, 2:], np.s_[:, :-2])
    reached = np.full_like(scores, -1e30)
    reached[0, :, :2] = scores[0, :, :2]
    for t in range(1, len(scores)):
        reached[t] = _from_three(reached[t - 1], skips, one, two) + scores[t]
    return reached
""",
    "_alignment_total": """
def _alignment_total(reached, frames, ends):
    final = reached[np.maximum(frames - 1, 0), np.arange(reached.shape[1])]
    final = np.where(ends & (frames > 0)[:, None], final, -1e30)
    total = np.logaddexp.reduce(final, axis=1)
    return np.where(total <= -0.5e30, -np.inf, total)
""",
    "_alignment_loss": """
def _alignment_loss(log_p, labels, lengths, frames, blank):
    classes, skips, ends = _alignment_states(labels, lengths, blank)
    scores = np.take_along_axis(np.float64(log_p), classes[None], 2)
    total = _alignment_total(_alignment_walk(scores, skips), frames, ends)
    return -total.astype(log_p.dtype)
""",
    "_alignment_shares": '''
def _alignment_shares(log_p, labels, lengths, frames, blank):
    """The probability of each class at each time under the alignments."""
    classes, skips, ends = _alignment_states(labels, lengths, blank)
    scores = np.take_along_axis(np.float64(log_p), classes[None], 2)
    there = _alignment_walk(scores, skips)
    one, two = (np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:, :-2], np.s_[:, 2:])
    later = np.zeros_like(skips)
    later[:, :-2] = skips[:, 2:]
    back = np.full_like(scores, -1e30)
    for t in reversed(range(len(scores))):
        if t + 1 < len(scores):
            after = back[t + 1] + scores[t + 1]
            back[t] = _from_three(after, later, one, two)
        at_end = (frames == t + 1)[:, None]
        back[t] = np.where(at_end, np.where(ends, 0.0, -1e30), back[t])
        back[t] = np.where((frames <= t)[:, None], -1e30, back[t])
    total = _alignment_total(there, frames, ends)[None, :, None]
    safe = np.where(np.isfinite(total), total, 0.0)
    share = np.where(np.isfinite(total), np.exp(there + back - safe), 0)
    y = np.zeros(log_p.shape)
    t, b = np.indices(scores.shape[:2])
    np.add.at(y, (t[..., None], b[..., None], classes[None]), share)
    return y.astype(log_p.dtype)
''',
}
