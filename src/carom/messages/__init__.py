"""Catalogues of messages in English, Polish and Russian.

`<language>.json` holds one entry per id:

    "ball.overlap": {"what": "balls {i} and {j} overlap", "remedy": "Move them apart or shrink them."}   a problem
    "wall": "wall {name}"                                                                       a part of a text
    "count.ball": {"one": "{n} ball", "other": "{n} balls"}                           a text with plural forms

A name in braces is replaced by the value of that name. Other braces are plain text.

    {name}          a text as it is; a number with the fewest digits that identify it
    {name:6}        a number rounded to 6 significant digits (as C's %.6g)
    {name:,}        a whole number with a comma before each group of three digits
    {names}         a list, its members separated by commas
    {names:and}     a list, its members joined by the text with the id "and"; likewise {names:or}

A value may be a text of the catalogue itself. The value `n` selects the plural form, by the categories of Unicode's
CLDR. English has every id; if another language lacks a text, the whole message is in English.
"""
