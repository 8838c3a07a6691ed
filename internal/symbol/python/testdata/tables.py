"""Prints the codes in a Python file with their tables of lines, and what Python itself says about each instruction:
python3 tables.py source.py >3.11.json
"""
import dis
import json
import sys


def lines(code):
    if hasattr(code, "co_lines"):
        return [[start, end, line or 0] for start, end, line in code.co_lines()]
    starts = list(dis.findlinestarts(code))
    ends = [start for start, _ in starts[1:]] + [len(code.co_code)]
    return [[start, end, line] for (start, line), end in zip(starts, ends)]


def codes(code):
    table = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
    yield {"name": getattr(code, "co_qualname", code.co_name), "first": code.co_firstlineno, "table": table.hex(),
           "lines": lines(code)}
    for const in code.co_consts:
        if isinstance(const, type(code)):
            yield from codes(const)


with open(sys.argv[1]) as f:
    top = compile(f.read(), "source.py", "exec")
json.dump({"version": sys.hexversion >> 16, "codes": list(codes(top))}, sys.stdout)
