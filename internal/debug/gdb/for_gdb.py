# The extension for gdb: printers for MPI's handles and for the buffers of calls, and the commands "mpivet ...". It only
# reads memory: it calls no function of the program and writes nothing. So it works with core files, too.

import itertools
import re

import gdb
import gdb.printing
from gdb.FrameDecorator import FrameDecorator

STATUS_TYPES = ("MPI_Status", "ompi_status_public_t")

# Fortran's derived types, as compilers write them. Each has one member, MPI_VAL.
FORTRAN_TYPES = {name.lower(): kind for name, kind in HANDLE_TYPES.items()}

# Libraries that are not the user's program.
SYSTEM_LIBRARY = re.compile(
    r"(libmpi|libmpivet|libopen-|libompi|libpmi|libprrte|libuc[ptsm]|libfabric|libpsm|libibverbs|mca_|libevent|libhwloc"
    r"|libfuse|libc[.-]|libm[.-]|libpthread|libgcc|libstdc\+\+|libgfortran|libquadmath|libgomp|ld-|ld\.|linux-|libdl"
    r"|librt)")


def text_of(value):
    try:
        charset = gdb.host_charset()
    except AttributeError:  # before gdb 12
        charset = None
    return one_line(value, charset)


class GdbTarget:
    """Reads memory and symbols of gdb's current inferior."""

    def __init__(self, inferior):
        self.inferior = inferior

    def read(self, address, length):
        try:
            return bytes(self.inferior.read_memory(address, length)) if length else b""
        except (gdb.error, OverflowError, ValueError):
            raise MpivetError("cannot access memory at 0x%x" % address)

    def symbol(self, name):
        if not self.inferior.pid:
            return None
        try:
            return int(gdb.parse_and_eval("&" + name))
        except (gdb.error, TypeError):
            pass
        try:  # in a language without &
            found = re.search(r" (?:at|address) (0x[0-9a-f]+)", gdb.execute("info address " + name, to_string=True))
        except gdb.error:
            return None
        return int(found.group(1), 16) if found else None


sessions = {}  # by the number of the inferior


def session():
    """Returns the Session of the current inferior."""
    inferior = gdb.selected_inferior()
    if inferior.num not in sessions:
        sessions[inferior.num] = Session(GdbTarget(inferior))
    if not inferior.pid:
        raise NotRecorded("there is no process")
    return sessions[inferior.num]


def on_change(event):
    inferior = getattr(event, "inferior", None)
    if inferior is None:
        thread = getattr(event, "inferior_thread", None)
        inferior = thread.inferior if thread is not None else gdb.selected_inferior()
    if inferior.num in sessions:
        sessions[inferior.num].changed()


def on_any_change(_):
    for s in sessions.values():
        s.changed()


def on_objfiles(_):
    for s in sessions.values():
        s.forget_symbols()


def on_end(event):
    s = sessions.pop(event.inferior.num, None)
    if s is not None:
        s.close()


def connect():
    events = gdb.events
    events.cont.connect(on_change)
    events.memory_changed.connect(on_any_change)
    events.new_objfile.connect(on_objfiles)
    events.clear_objfiles.connect(on_objfiles)
    events.exited.connect(on_end)
    if hasattr(events, "inferior_deleted"):
        events.inferior_deleted.connect(on_end)


def thread_id():
    """Returns the number by which the process knows the selected thread."""
    thread = gdb.selected_thread()
    if thread is None:
        raise MpivetError("no thread is selected")
    pid, tid, _ = thread.ptid
    tid = tid or pid
    connection = getattr(thread.inferior, "connection", None)
    if connection is not None and connection.type == "native":
        try:  # the process may be in a container, with other numbers
            with open("/proc/%d/task/%d/status" % (pid, tid)) as f:
                for line in f:
                    if line.startswith("NSpid:"):
                        return int(line.split()[-1])
        except (OSError, ValueError):
            pass
    return tid


def in_fortran():
    try:
        return "fortran" in gdb.execute("show language", to_string=True).lower()
    except gdb.error:
        return False


# ---- printers ----

# Nodes are printed as values of gdb, so that frontends can browse them: arrays of three numbers, which nobody else has.
NODE_MARK = [int.from_bytes(os.urandom(7), "little") for _ in range(2)]
NODE_TYPE = gdb.Value(1).type.array(2)
NODE_LIMIT = 100000
nodes = collections.OrderedDict()
node_numbers = itertools.count()


def node_value(node):
    """Returns a value of gdb that stands for a node."""
    number = next(node_numbers)
    while len(nodes) >= NODE_LIMIT:
        nodes.popitem(last=False)
    nodes[number] = node
    size = NODE_TYPE.sizeof // 3
    data = b"".join(n.to_bytes(size, "little") for n in NODE_MARK + [number])
    return gdb.Value(data, NODE_TYPE)


def node_of(value):
    """Returns the node that a value stands for, or None if the value is another array."""
    if value.type.sizeof != NODE_TYPE.sizeof or value.type.target().sizeof * 3 != NODE_TYPE.sizeof:
        return None
    try:
        if [int(value[0]), int(value[1])] != NODE_MARK:
            return None
        return nodes.get(int(value[2])) or Node({"text": "<no longer known>"})
    except (gdb.error, TypeError, ValueError):
        return None


class TextPrinter:
    """Prints one line."""

    def __init__(self, text):
        self.text = text

    def to_string(self):
        return text_of(self.text)


class NodePrinter:
    """Prints a node with fields."""

    def __init__(self, node, text):
        self.node, self.text = node, text

    def to_string(self):
        return text_of(self.text) if self.text else None

    def children(self):
        for name, child in self.node.fields():
            yield text_of(name), node_value(child)

    def display_hint(self):
        return "array" if self.node.is_list() else None


def printer(node, text=None):
    """Returns the printer of a node. Datatypes with fields need no text: it would say nothing more."""
    if not node.has_fields():
        return TextPrinter(node.text if text is None else text)
    if text is None:
        text = "" if node.kind == "datatype" else node.text
    return NodePrinter(node, text)


def unsigned(value):
    """Returns a handle as the inspector wants it: zero-extended."""
    return int(value) & ((1 << 8 * value.type.sizeof) - 1)


class Kind:
    """What a value is to mpivet: how is "handle", "fortran", "status", "pointer" or "array"."""

    def __init__(self, how, kind=None):
        self.how, self.kind = how, kind


def kind_of(kind):
    """Returns the Kind of values of a type, or None."""
    while True:
        name = kind.name
        if name in HANDLE_TYPES and kind.code != gdb.TYPE_CODE_STRUCT:
            return Kind("handle", HANDLE_TYPES[name])
        if name in STATUS_TYPES:
            return Kind("status")
        if kind.code != gdb.TYPE_CODE_TYPEDEF:
            break
        kind = kind.target()
    if kind.code == gdb.TYPE_CODE_PTR:
        target = kind.target().unqualified()
        if target.code == gdb.TYPE_CODE_STRUCT and target.tag in HANDLE_STRUCTS:
            return Kind("handle", HANDLE_STRUCTS[target.tag])
        return None if target.code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD) else Kind("pointer")
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return Kind("array")
    if kind.code == gdb.TYPE_CODE_STRUCT and kind.name:
        name = kind.name.lower()
        if name == "mpi_status":
            return Kind("status")
        if name in FORTRAN_TYPES and len(kind.fields()) == 1:
            return Kind("fortran", FORTRAN_TYPES[name])
    return None


SCALARS = [
    getattr(gdb, "TYPE_CODE_" + name)
    for name in ("INT", "FLT", "CHAR", "BOOL", "ENUM", "FUNC", "UNION", "VOID", "COMPLEX", "METHOD", "MEMBERPTR")
    if hasattr(gdb, "TYPE_CODE_" + name)
]

REFERENCES = (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", gdb.TYPE_CODE_REF))


def status_request(value):
    """Returns the request for an MPI_Status."""
    if value.address is not None:
        return {"do": "status", "address": int(value.address)}
    request = {"do": "status"}
    parts = {}
    for field in value.type.strip_typedefs().fields():
        parts[(field.name or "").lower()] = int(value[field])
    for name in ("source", "tag", "error"):
        request[name] = parts["mpi_" + name]
    if "_ucount" in parts:
        request["bytes"] = parts["_ucount"]
    elif "count_lo" in parts and "count_hi_and_cancelled" in parts:
        high = parts["count_hi_and_cancelled"] & 0xFFFFFFFF
        request["bytes"] = parts["count_lo"] & 0xFFFFFFFF | high >> 1 << 32
    return request


def buffer_printer(value, address):
    """Returns the printer of a pointer or array, if it is a buffer of the MPI call that the thread is in."""
    if not address or not buffers.value or gdb.selected_thread() is None:
        return None
    s = session()
    if s.debug is False or s.broken is not None:
        return None
    node = s.pointer(thread_id(), address)
    if node is None:
        return None
    text = "0x%x" % address if value is not None else ""
    if text in node.text:
        text = ""
    return printer(node, " ".join(t for t in (text, node.text) if t))


def plain_printer(how, value):
    """Returns the printer of a value of some Kind, or None."""
    if how.how == "array":
        node = node_of(value)
        if node is not None:
            return printer(node)
        return buffer_printer(None, int(value.address)) if value.address is not None else None
    if how.how == "pointer":
        return buffer_printer(value, int(value))
    s = session()
    if s.broken is not None:
        return None
    if how.how == "status":
        return printer(s.node(status_request(value), "status"))
    if how.how == "fortran":
        value = value[value.type.strip_typedefs().fields()[0]]
    return printer(s.handle(how.kind, unsigned(value), how.how == "fortran"))


warned = set()


def warn(error):
    """Reports once why values are not printed."""
    text = one_line(error)
    if text not in warned:
        warned.add(text)
        gdb.write("mpivet: %s\n" % text_of(text), gdb.STDERR)


def lookup(value):
    """Returns the printer of a value, or None. gdb calls it for everything that it prints, so it must be fast."""
    kind = value.type
    if kind.code in SCALARS:
        return None
    try:
        if kind.code in REFERENCES:
            value = value.referenced_value()
            kind = value.type
        how = kind_of(kind)
        if how is None or value.is_optimized_out:
            return None
        return plain_printer(how, value)
    except NotRecorded:
        return None
    except InspectorError as e:
        warn(e)
        return None
    except MpivetError as e:  # freed, or overwritten
        if sessions and session().inspector is None:
            warn(e)
            return None
        return TextPrinter("<%s>" % e)
    except (gdb.error, KeyError, TypeError, ValueError):
        return None


lookup.name = "mpivet"
lookup.enabled = True


# ---- commands ----


def limit():
    """Returns the number of lines that a command prints."""
    return gdb.parameter("print elements") or 0


def show(node, empty):
    """Prints a node as the output of a command."""
    if node is None:
        gdb.write(empty + "\n")
        return
    lines = render(node, limit())
    gdb.write("\n".join(text_of_line(line) for line in lines) + "\n" if lines != [""] else empty + "\n")


def text_of_line(line):
    return " " * (len(line) - len(line.lstrip(" "))) + text_of(line.lstrip(" "))


def evaluate(expression):
    try:
        value = gdb.parse_and_eval(expression)
        if value.type.code in REFERENCES:
            value = value.referenced_value()
        if value.is_optimized_out:
            raise MpivetError("%s was optimized out" % expression)
        return value
    except gdb.error as e:
        raise MpivetError(e)


def handle_of(kind, expression):
    """Returns the value that an expression has as a handle, and whether it is one of Fortran."""
    value = evaluate(expression)
    how = kind_of(value.type)
    if how is not None and how.how in ("handle", "fortran"):
        if how.kind != kind:
            raise MpivetError("%s is a handle of the kind %s" % (expression, how.kind))
        if how.how == "fortran":
            return unsigned(value[value.type.strip_typedefs().fields()[0]]), True
        return unsigned(value), False
    plain = value.type.strip_typedefs()
    if plain.code == gdb.TYPE_CODE_PTR:
        return unsigned(value), False
    if plain.code not in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, getattr(gdb, "TYPE_CODE_CHAR", -1)):
        raise MpivetError("%s is no handle" % expression)
    if in_fortran():
        return unsigned(value), True
    # Where handles are pointers, a short number can only come from Fortran.
    pointers = kind == "file" or session().handle_size() == 8
    return unsigned(value), pointers and plain.sizeof < 8


def address_of(expression):
    value = evaluate(expression)
    code = value.type.strip_typedefs().code
    if code == gdb.TYPE_CODE_PTR or code == gdb.TYPE_CODE_INT and value.address is None:
        return unsigned(value)
    if value.address is None:
        if code == gdb.TYPE_CODE_INT:
            return unsigned(value)
        raise MpivetError("%s has no address" % expression)
    # In C, an address in an integer variable is meant. In Fortran, the variable itself is.
    return unsigned(value) if code == gdb.TYPE_CODE_INT and not in_fortran() else int(value.address)


def show_handle(kind, line, usage):
    words, path = split_path(line, 1, usage)
    value, fortran = handle_of(kind, words[0])
    show(session().handle(kind, value, fortran, path), "nothing")


def show_buffer(line, usage):
    words, path = split_path(line, 3, usage)
    if len(words) < 2:
        raise MpivetError("usage: " + usage)
    value, fortran = handle_of("datatype", words[0])
    request = {"do": "buffer", "type": value, "address": address_of(words[1]), "count": 1}
    if len(words) > 2:
        request["count"] = int(evaluate(words[2]))
    if path:
        request["path"] = path
    if fortran:
        request["fortran"] = True
    show(session().node(request, "buffer"), "nothing")


def show_status(line, usage):
    words, _ = split_path(line, 1, usage)
    value = evaluate(words[0])
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        request = {"do": "status", "address": int(value)}
    else:
        how = kind_of(value.type)
        if (how is None or how.how != "status") and (how is None or how.how != "array" or value.address is None):
            raise MpivetError("%s is no MPI_Status" % words[0])
        request = status_request(value)
    show(session().node(request, "status"), "nothing")


class Command(gdb.Command):
    """A command `mpivet ...`. Its documentation begins with the usage."""

    def __init__(self, name, run, doc, complete=gdb.COMPLETE_EXPRESSION, prefix=False):
        self.__doc__ = doc
        self.run = run
        super().__init__(name, gdb.COMMAND_DATA, complete, prefix)

    def invoke(self, line, from_tty):
        self.dont_repeat()
        try:
            self.run(line.strip())
        except MpivetError as e:
            raise gdb.GdbError("mpivet: " + text_of(e))
        except gdb.error as e:
            raise gdb.GdbError("mpivet: " + text_of(e))
        except gdb.GdbError:
            raise
        except Exception as e:  # the user shall see one line, whatever happens
            raise gdb.GdbError("mpivet: error in mpivet's extension: %s: %s" % (type(e).__name__, text_of(e)))


def no_arguments(name, request, empty):
    """Returns the function of a command without arguments."""

    def run(line):
        if line:
            raise MpivetError("usage: mpivet " + name)
        full = dict(request)
        if name == "call":
            full["tid"] = thread_id()
        show(session().node(full), empty)

    return run


def run_help(line):
    if line:
        raise MpivetError("there is no such command: help mpivet lists them")
    gdb.execute("help mpivet")


def run_handle(line):
    kind, _, rest = line.partition(" ")
    usage = "mpivet handle KIND VALUE [PATH]"
    if not rest.strip():
        raise MpivetError("usage: " + usage)
    if kind == "type":
        kind = "datatype"
    if kind not in HANDLE_KINDS:
        raise MpivetError("%s is no kind of handle: %s" % (kind, ", ".join(HANDLE_KINDS)))
    show_handle(kind, rest, usage)


def add_commands():
    Command("mpivet", run_help, "Look at the MPI objects, buffers and calls of a process that runs under mpivet.",
            gdb.COMPLETE_COMMAND, True)
    Command("set mpivet", run_help, "Settings of mpivet's extension.", gdb.COMPLETE_COMMAND, True)
    Command("show mpivet", run_help, "Settings of mpivet's extension.", gdb.COMPLETE_COMMAND, True)

    usage = "mpivet buffer HANDLE ADDRESS [COUNT] [PATH]"
    Command("mpivet buffer", lambda line: show_buffer(line, usage),
            "Show memory as elements of a datatype.\nUsage: %s\n\n"
            "A path such as [2][5] selects a part." % usage)
    Command("mpivet status", lambda line: show_status(line, "mpivet status STATUS"),
            "Show an MPI_Status.\nUsage: mpivet status STATUS")
    Command("mpivet handle", run_handle,
            "Show what a handle of some kind stands for.\nUsage: mpivet handle KIND VALUE [PATH]\n\n"
            "The kinds are %s. In Fortran, VALUE is an INTEGER." % ", ".join(HANDLE_KINDS))
    for kind in HANDLE_KINDS:
        name = "type" if kind == "datatype" else kind
        usage_of_kind = "mpivet %s HANDLE [PATH]" % name
        Command("mpivet " + name,
                lambda line, kind=kind, usage=usage_of_kind: show_handle(kind, line, usage),
                "Show what a handle of a %s stands for.\nUsage: %s" % (kind, usage_of_kind))
    for name, doc, empty in (
        ("call", "Show the MPI call that the selected thread is in.", "the thread is in no MPI call"),
        ("calls", "Show the MPI calls of all threads.", "no thread is in an MPI call"),
        ("requests", "Show the requests that are not complete.", "no requests"),
        ("comms", "Show the communicators.", "no communicators"),
        ("queues", "Show the messages and receives that wait for each other.", "no messages or receives wait"),
        ("collectives", "Show how often the process has called each collective.", "no collectives"),
        ("findings", "Show what mpivet has found about this process.", "no findings"),
    ):
        Command("mpivet " + name, no_arguments(name, {"do": name}, empty), "%s\nUsage: mpivet %s" % (doc, name),
                gdb.COMPLETE_NONE)
    Command("mpivet frame", run_frame, "Select the program's own innermost frame, outside MPI.\nUsage: mpivet frame",
            gdb.COMPLETE_NONE)


class Buffers(gdb.Parameter):
    """Show pointers and arrays through the type and the count of the MPI call that uses them.
    It does so for the buffers of the call that the selected thread is in."""

    set_doc = "Set whether buffers of the present MPI call are shown as the call sees them."
    show_doc = "Show whether buffers of the present MPI call are shown as the call sees them."

    def __init__(self):
        super().__init__("mpivet buffers", gdb.COMMAND_DATA, gdb.PARAM_BOOLEAN)
        self.value = True

    def get_set_string(self):
        return ""

    def get_show_string(self, value):
        return "Showing the buffers of the present MPI call as the call sees them is %s." % value


# ---- frames ----


def library_of(frame):
    """Returns the file name of the library that a frame's code is in, "" for the program itself."""
    name = gdb.solib_name(frame.pc())
    return os.path.basename(name) if name else ""


def in_system(frame):
    """Reports whether a frame is in MPI, in mpivet or in a library of the system."""
    if SYSTEM_LIBRARY.match(library_of(frame)):
        return True
    name = frame.name()  # None for code without symbols, such as the kernel's
    return name is None


def run_frame(line):
    if line:
        raise MpivetError("usage: mpivet frame")
    try:
        frame = gdb.newest_frame()
    except gdb.error as e:
        raise MpivetError(e)
    for _ in range(1000):
        if frame is None:
            raise MpivetError("no frame of the thread is in the program")
        if not in_system(frame):
            frame.select()
            gdb.execute("frame")
            return
        frame = frame.older()


class Argument:
    """An argument of a call, for gdb's list of frames."""

    def __init__(self, name, value):
        self.name, self.node = name, value

    def symbol(self):
        return self.name

    def value(self):
        return node_value(self.node)


class CallDecorator(FrameDecorator):
    """Shows the frame of a wrapper in mpivet's library as the MPI call that it is."""

    def __init__(self, base, node):
        super().__init__(base)
        self.node = node

    def frame_args(self):
        for name, child in self.node.fields():
            if name == "arguments":
                return [Argument(text_of(n), Node({"text": c.text})) for n, c in child.fields()]
        return super().frame_args()


class FrameFilter:
    """Shows the arguments of MPI calls where there is no debug information about them."""

    def __init__(self):
        self.name, self.enabled, self.priority = "mpivet", True, 50
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return map(self.decorate, frames)

    def decorate(self, decorator):
        try:
            frame = decorator.inferior_frame()
            name = frame.name() or ""
            if not name.startswith(("MPI_", "PMPI_")) or frame.function() is not None:
                return decorator
            if not library_of(frame).startswith("libmpivet"):
                return decorator
            s = session()
            if s.broken is not None:
                return decorator
            node = s.node({"do": "call", "tid": thread_id()})
            if node is None or name.replace("PMPI_", "MPI_", 1) not in node.text:
                return decorator  # an older call: MPI calls itself
            return CallDecorator(decorator, node)
        except (gdb.error, MpivetError):
            return decorator


connect()
gdb.printing.register_pretty_printer(None, lookup, replace=True)
add_commands()
buffers = Buffers()
FrameFilter()
gdb.mpivet = MPIVET  # the extension is loaded
