"""Numbers that building and kernels share."""

DEFORMING, PRINTED = 0, 1  # what dampers feel: what deforms an element, or all that moves its corners about their mean
