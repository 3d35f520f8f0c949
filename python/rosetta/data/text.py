"""From a review's text to word ids, as Keras numbers them.

Tokenisation, ranking and numbering are those with which Keras's `imdb.npz` was made and is read:
`Tokenizer` in https://github.com/keras-team/keras/blob/v3.6.0/keras/src/legacy/preprocessing/text.py and
`load_data` in https://github.com/keras-team/keras/blob/v3.6.0/keras/src/datasets/imdb.py.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

PADDING_ID = 0
START_ID = 1
UNKNOWN_ID = 2
INDEX_FROM = 3  # a word's id is its rank (1, 2, ...) + 3; so 3 itself is never used
VOCABULARY = 30_000  # ids are below
LENGTH = 150

_SEPARATORS = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', " "))


def words(text: str) -> list[str]:
    """The words of a text: lower case, split at blanks and at all ASCII punctuation but the apostrophe."""
    return [word for word in text.lower().translate(_SEPARATORS).split(" ") if word]


def ranks(texts: Iterable[str]) -> dict[str, int]:
    """Each word's rank by frequency in the texts, the most frequent one 1; equally frequent ones by alphabet."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(words(text))
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: rank for rank, word in enumerate(ordered, start=1)}


def row(word_ranks: Sequence[int]) -> np.ndarray:
    """A review as the models read it, int32 (150): start mark and words, the LAST 150 of them, zeros in FRONT.

    Args:
        word_ranks: each word's rank, from 1; 0 for a word without one.
    """
    ids = np.asarray(word_ranks[-LENGTH:], np.int64)
    ids = np.where((ids > 0) & (ids < VOCABULARY - INDEX_FROM), ids + INDEX_FROM, UNKNOWN_ID)
    if len(word_ranks) < LENGTH:
        ids = np.concatenate([[START_ID], ids])
    return np.concatenate([np.full(LENGTH - len(ids), PADDING_ID), ids]).astype(np.int32)


def rows(texts: Sequence[str], vocabulary: dict[str, int]) -> np.ndarray:
    """The texts as the models read them, by a vocabulary from `ranks`: int32 (texts, 150)."""
    result = np.empty((len(texts), LENGTH), np.int32)
    for number, text in enumerate(texts):
        result[number] = row([vocabulary.get(word, 0) for word in words(text)[-LENGTH:]])
    return result
