"""Programs for Wengert and TensorFlow over what TensorFlow's own tests cover, a file a family.

tools/unit_programs.py records what TensorFlow gives. Start with common.py.
"""
