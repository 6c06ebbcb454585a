"""Operations carried out in a form that neither overflows nor cancels.

rows         Operations that keep all digits, also in their derivatives: what rewritten ones become
facts        How values were computed: what the patterns look at
rewrites     Which operation is carried out in which other form
interpreter  Carries out operations in their stable form
"""
