"""Compiled loops over the bytes of documents: words, and columns for runs of them."""

import numpy as np

from .._jit import compiled

UNKNOWN = -1
MIXER = np.uint64(0x9E3779B97F4A7C15)


@compiled
def number_words(data, ends, is_letter, remainders, left_out, longest, numbers, starts, stops):
    """Give each word its CRC-32, or UNKNOWN; write where it starts and stops; count words by text.

    A word is a run of letters, by their bytes. Unknown are words of more characters than `longest`,
    and those whose number is in `left_out`, in increasing order. `remainders` are those of CRC-32.
    """
    counts = np.zeros(ends.size, np.int64)
    position = found = 0
    for text in range(ends.size):
        while position < ends[text]:
            if not is_letter[data[position]]:
                position += 1
                continue
            start, number, n_characters = position, np.int64(0xFFFFFFFF), 0
            while position < ends[text] and is_letter[data[position]]:
                byte = np.int64(data[position])
                number = remainders[(number ^ byte) & 0xFF] ^ (number >> 8)
                n_characters += (byte & 0xC0) != 0x80  # other bytes go on with a character
                position += 1
            number ^= 0xFFFFFFFF
            place = np.searchsorted(left_out, number)
            is_left_out = place < left_out.size and left_out[place] == number
            numbers[found] = UNKNOWN if is_left_out or n_characters > longest else number
            starts[found], stops[found] = start, position
            counts[text] += 1
            found += 1
    return counts


@compiled
def list_runs(numbers, counts, n_columns, ngrams, n_bits):
    """List the runs of up to `ngrams` words, text by text: hash, column, first word and length.

    Texts are those of the first document in all columns of text, then those of the second, and so
    on; a run lies in one of them, and has known words only. Beside it: where documents end.
    """
    most = numbers.size * ngrams
    hashes, columns = np.empty(most, np.uint64), np.empty(most, np.int32)
    firsts, lengths = np.empty(most, np.int64), np.empty(most, np.int64)
    ends = np.empty(counts.size // n_columns, np.int64)
    begin = found = 0
    for text in range(counts.size):
        end = begin + counts[text]
        for first in range(begin, end):
            run = np.uint64(text % n_columns) << np.uint64(32)
            for last in range(first, min(first + ngrams, end)):
                if numbers[last] == UNKNOWN:
                    break
                if last > first:
                    run = run * MIXER + np.uint64(1)
                run += np.uint64(numbers[last])
                hashes[found] = run
                columns[found] = np.int32((run * MIXER) >> np.uint64(64 - n_bits))
                firsts[found], lengths[found] = first, last - first + 1
                found += 1
        begin = end
        ends[text // n_columns] = found
    return hashes[:found], columns[:found], firsts[:found], lengths[:found], ends


@compiled
def weigh_columns(columns, ends):
    """Return CSR rows of 1 + log(count) of each column, of unit length; `columns` are sorted."""
    values, indices = np.empty(columns.size), np.empty(columns.size, np.int32)
    indptr = np.zeros(ends.size + 1, np.int64)
    begin = found = 0
    for row in range(ends.size):
        mine = columns[begin : ends[row]]
        mine.sort()
        first, square = found, 0.0
        for place in range(mine.size):
            if place > 0 and mine[place] == mine[place - 1]:
                values[found - 1] += 1.0
            else:
                indices[found], values[found] = mine[place], 1.0
                found += 1
        for place in range(first, found):
            if values[place] > 1.0:
                values[place] = 1.0 + np.log(values[place])
            square += values[place] ** 2
        for place in range(first, found):
            values[place] /= np.sqrt(square)
        begin = ends[row]
        indptr[row + 1] = found
    return values[:found], indices[:found], indptr
