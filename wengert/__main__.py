"""python -m wengert"""

import sys

from wengert.cli import main

sys.exit(main())
