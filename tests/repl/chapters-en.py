#!/usr/bin/env python3
# slow
# timeout: 1500
"""Chapters 1 to 4 in English, from `start` to the last lab's "try this". See play.py."""
import sys

import play

sys.exit(play.main("en"))
