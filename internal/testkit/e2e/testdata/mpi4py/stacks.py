"""Calls MPI in all kinds of Python code, with an error that mpivet reports. It writes into the file argv[1] what Python
itself says about the stack of each call: a list of [tag, [[function, line], …]], innermost first.
argv[2] is mpi4py, or ctypes for MPICH.
"""
import functools
import json
import sys
import threading
import traceback

if sys.argv[2] == "mpi4py":
    from mpi4py import MPI

    MPI.COMM_WORLD.Set_errhandler(MPI.ERRORS_RETURN)

    def send(tag):
        try:
            MPI.COMM_WORLD.Send([bytearray(4), 4, MPI.BYTE], dest=99, tag=tag)
        except MPI.Exception:
            pass
else:
    import ctypes

    ctypes.CDLL("libmpich.so.12", ctypes.RTLD_GLOBAL)
    lib = ctypes.CDLL(None)
    lib.MPI_Init_thread(None, None, 3, ctypes.byref(ctypes.c_int()))
    lib.MPI_Comm_set_errhandler(0x44000000, 0x54000001)

    def send(tag):
        lib.MPI_Send(None, 0, 0x4C000405, 99, tag, 0x44000000)


expected = []


def call():
    tag = len(expected)
    expected.append([tag, [[f.name, f.lineno] for f in reversed(traceback.extract_stack())]]); send(tag)


def plain():
    call()

def nested():
    def inner():
        return (lambda: call())()
    inner()

def gen():
    call()
    yield 1
    call()
    yield 2

def delegating():
    yield from gen()

class C:
    def __init__(self):
        call()
    def __enter__(self):
        call()
        return self
    def __exit__(self, *a):
        call()
    @property
    def prop(self):
        call()
        return 1
    def __lt__(self, other):
        call()
        return True
    @staticmethod
    def s():
        call()
    @classmethod
    def c(cls): call()

async def co():
    call()
    return await co2()

async def co2():
    call()

def rec(n):
    if n == 0:
        call()
    else:
        rec(n - 1)

def deco(f):
    @functools.wraps(f)
    def w(*a):
        return f(*a)
    return w

@deco
@deco
def decorated():
    call()

def main():
    plain()
    nested()
    list(gen())
    for x in delegating(): pass
    [call() for i in range(2)]
    {call() for i in range(1)}
    sum(call() or 1 for i in range(2))
    for i in range(40):  # the interpreter specializes its code
        C()
    with C() as c:
        c.prop
    sorted([C(), C()])
    C.s(); C.c()
    try: co().send(None)
    except StopIteration: pass
    for n in (1, 5, 30, 200):
        rec(n)
    decorated()
    exec("def e():\n  call()\n\n\ne()", globals())
    for i in range(5):
        exec(compile("\n" * i + "call()", "<string>", "exec"), globals())
    list(map(lambda x: call(), [1, 2]))
    t = threading.Thread(target=plain, name="t")
    t.start()
    t.join()
    functools.reduce(lambda a, b: call(), [1, 2, 3])
    eval("call()", globals())
    try:
        1 / 0
    except ZeroDivisionError:
        call()
    if sys.argv[2] == "ctypes":
        CB = ctypes.CFUNCTYPE(None)
        CB(call)()
        CB(lambda: plain())()
    print(
        call(),
        file=sys.stderr)


main()


class Body:
    call()


with open(sys.argv[1], "w") as f:
    json.dump(expected, f)
if sys.argv[2] == "ctypes":
    lib.MPI_Finalize()
