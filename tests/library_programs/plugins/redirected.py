"""A plugin of pytest: `import tensorflow` is redirected before any test is collected."""

import wengert.compat

wengert.compat.install()
