#!/usr/bin/env python3
# slow
# timeout: 1500
"""The chapters of late.py in English, each from `start` to its last lab's "try this". See
play.py."""
import sys

import play

sys.exit(play.main_late("en"))
