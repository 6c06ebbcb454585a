"""What an answer looks like: in a terminal, in a notebook, as a page of its own.

blocks    Paragraphs, lines of programs, tables, pictures
curves    Curves over logarithmic or even axes, drawn as SVG
report    The report: a title, and blocks one below the other
terminal  As text, as wide as the terminal
page      As HTML without anything from elsewhere
"""
