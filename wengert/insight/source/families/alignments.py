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
    ends = (place == last) | (place == last - 1)
    return classes.T, skips.T, ends.T
''',
    "_alignment_scores": """
def _alignment_scores(log_p, classes):
    scores = log_p[:, np.arange(log_p.shape[1]), classes]
    return np.maximum(np.float64(scores), -1e30)
""",
    "_alignment_walk": '''
def _alignment_walk(scores, begins, skips):
    """The log-probability of reaching each state: [time, state, batch]."""
    count, size, batch = scores.shape
    padded = np.full((count, size + 2, batch), -1e30)
    padded[:1, 2:] = np.where(begins, scores[:1], -1e30)
    skip = np.where(skips, 0.0, -1e30)
    for before, reached, score in zip(padded, padded[1:, 2:], scores[1:]):
        ways = [before[2:], before[1:-1], before[:-2] + skip]
        likeliest = np.maximum(np.maximum(ways[0], ways[1]), ways[2])
        total = sum(np.exp(np.maximum(way - likeliest, -700)) for way in ways)
        reached[:] = likeliest + np.log(total) + score
    return padded[:, 2:]
''',
    "_alignment_total": """
def _alignment_total(reached, frames, ends):
    last = reached[np.maximum(frames - 1, 0), :, np.arange(len(frames))].T
    final = np.where(ends & (frames > 0), last, -1e30)
    total = np.logaddexp.reduce(final, axis=0)
    return np.where(total <= -0.5e30, -np.inf, total)
""",
    "_alignment_loss": """
def _alignment_loss(log_p, labels, lengths, frames, blank):
    classes, skips, ends = _alignment_states(labels, lengths, blank)
    begins = np.arange(len(classes))[:, None] < 2
    scores = _alignment_scores(log_p, classes)
    reached = _alignment_walk(scores, begins, skips)
    return -_alignment_total(reached, frames, ends).astype(log_p.dtype)
""",
    "_alignment_turned": '''
def _alignment_turned(x, frames, lengths):
    """The times and states that an example has in reverse."""
    y = np.full_like(x, -1e30)
    for k, (t, s) in enumerate(zip(frames, 2 * lengths + 1)):
        y[:t, :s, k] = x[:t, :s, k][::-1, ::-1]
    return y
''',
    "_alignment_shares": '''
def _alignment_shares(log_p, labels, lengths, frames, blank):
    """The probability of each class at each time under the alignments."""
    classes, skips, ends = _alignment_states(labels, lengths, blank)
    scores = _alignment_scores(log_p, classes)
    count, size, batch = scores.shape
    rows, place = np.arange(batch), np.arange(size)[:, None]
    there = _alignment_walk(scores, place < 2, skips)
    mirror = (2 * lengths - place) % size
    later = np.where(place < 2, False, np.roll(skips, -2, 0)[mirror, rows])
    turned = _alignment_turned(scores, frames, lengths)
    back = _alignment_walk(turned, ends[mirror, rows], later)
    share = _alignment_turned(back, frames, lengths) + (there - scores)
    total = _alignment_total(there, frames, ends)
    possible = np.isfinite(total)
    share = share - np.where(possible, total, 0.0)
    share = np.exp(np.where(possible & (share > -700), share, -np.inf))
    at = np.arange(count)[:, None, None] * batch + rows
    at = at * log_p.shape[2] + classes
    y = np.bincount(at.ravel(), share.ravel(), log_p.size)
    return y.reshape(log_p.shape).astype(log_p.dtype)
''',
}
