"""Small programs, each answering one question. `make demo` runs them."""
