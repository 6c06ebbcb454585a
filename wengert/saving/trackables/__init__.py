"""Objects that know the objects they are made of.

base         An object with named parts
auto         An object whose attributes become its parts
collections  Lists and dictionaries as parts of objects
parts        The parts of any object, and what it wants to save
python_state  Values of Python that are saved with a checkpoint
"""
