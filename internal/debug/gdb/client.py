# The client of `mpivet inspect`. The extensions for gdb and lldb share it. It knows nothing of MPI: the inspector
# decodes the tables of the process. docs/debugger-tables.md describes the protocol.

import base64
import collections
import json
import locale
import os
import select
import shutil
import stat
import subprocess
import tempfile

MAGIC_DEBUG = 0x314742444356504D  # MV_MAGIC_DEBUG in preload/record.h
PROGRAM_SIZE = 256  # the path of mpivet is at the end of struct mv_debug
READ_LIMIT = 64 << 20
ANSWER_LIMIT = 30  # seconds without a word from the inspector

# The tables of Open MPI that lead from Fortran handles to handles.
FORTRAN_TABLES = (
    "ompi_datatype_f_to_c_table",
    "ompi_comm_f_to_c_table",
    "ompi_mpi_communicators",
    "ompi_group_f_to_c_table",
    "ompi_request_f_to_c_table",
    "ompi_op_f_to_c_table",
    "ompi_mpi_windows",
    "ompi_file_f_to_c_table",
    "ompi_info_f_to_c_table",
    "ompi_errhandler_f_to_c_table",
    "ompi_message_f_to_c_table",
)

HANDLE_KINDS = (
    "datatype", "comm", "group", "request", "op", "win", "file", "info", "errhandler", "message", "session",
)

# The types of handles in mpi.h.
HANDLE_TYPES = {"MPI_" + kind.capitalize(): kind for kind in HANDLE_KINDS}

# In Open MPI, handles are pointers to these structs.
HANDLE_STRUCTS = {
    "ompi_datatype_t": "datatype",
    "ompi_communicator_t": "comm",
    "ompi_group_t": "group",
    "ompi_request_t": "request",
    "ompi_op_t": "op",
    "ompi_win_t": "win",
    "ompi_file_t": "file",
    "ompi_info_t": "info",
    "ompi_errhandler_t": "errhandler",
    "ompi_message_t": "message",
    "ompi_instance_t": "session",
}


class MpivetError(Exception):
    """An error for the user: one clear line."""


class NotRecorded(MpivetError):
    """The program does not run under mpivet."""


class InspectorError(MpivetError):
    """The inspector can't be used."""


class _Ended(Exception):
    """The inspector has ended before it answered."""


def one_line(text, charset=None):
    """Returns text without line breaks and control characters, in a charset that the debugger can print."""
    text = "".join(c if c.isprintable() else " " if c.isspace() else "\\x%02x" % ord(c) for c in str(text))
    charset = charset or locale.getpreferredencoding(False) or "ascii"
    try:
        return text.encode(charset, "replace").decode(charset, "replace")
    except LookupError:
        return text.encode("ascii", "replace").decode("ascii")


def fields_of(node):
    """Returns the fields of a node as a list of pairs: name, node."""
    pairs = []
    for field in node.get("fields") or ():
        child = field.get("node")
        if not isinstance(child, dict):
            child = {"text": field.get("text", "")}
        pairs.append((str(field.get("name", "")), child))
    return pairs


def is_list(node):
    """Reports whether the fields of a node are the elements of a list."""
    fields = node.get("fields")
    return bool(fields) and str(fields[0].get("name", "")).startswith("[")


class Node:
    """A node of an answer. It asks the inspector for the fields that were left out."""

    def __init__(self, data, session=None, request=None, kind=None):
        self.data = data if isinstance(data, dict) else {"text": "" if data is None else str(data)}
        self.session, self.request, self.kind = session, request, kind

    @property
    def text(self):
        """The node in one line. It is empty if it would only repeat the fields."""
        text = str(self.data.get("text") or "")
        return "" if text.startswith("{") and self.data.get("fields") else text

    def has_fields(self):
        return bool(self.data.get("fields")) or self.more() > 0

    def is_list(self):
        return is_list(self.data)

    def more(self):
        more = self.data.get("more")
        return more if isinstance(more, int) and more > 0 else 0

    def _rest(self, start):
        """Returns the node with the fields from start on, or None."""
        if self.session is None or self.request is None:
            return None
        request = dict(self.request)
        request["from"] = start
        try:
            data = self.session.ask(request)
        except MpivetError:
            return None
        return data if isinstance(data, dict) and data.get("fields") else None

    def _request_of(self, child):
        """Returns the request for a child alone. It needs one only if fields of the child were left out."""
        if self.request is None or "path" not in child:
            return None
        request = dict(self.request)
        request.pop("from", None)
        request["path"] = child["path"]
        return request

    def fields(self):
        """Yields pairs: name, Node. It asks for the fields that were left out when they are needed."""
        data, seen = self.data, 0
        while data is not None:
            for name, child in fields_of(data):
                seen += 1
                # The parts of a datatype are printed like the datatype itself.
                kind = self.kind if self.kind == "datatype" else None
                yield name, Node(child, self.session, self._request_of(child), kind)
            more = data.get("more")
            if not isinstance(more, int) or more <= 0:
                return
            data = self._rest(seen)
            if data is None:
                yield "...", Node({"text": "%d more" % more})


class Lines:
    """Prints a node as text: short nodes in one line, and long ones with one line for each field. Nodes below a depth
    are only printed in one line."""

    WIDTH = 100

    def __init__(self, limit, depth=2):
        self.limit = limit  # of lines; 0: none
        self.depth = depth
        self.lines = []

    def full(self):
        return self.limit > 0 and len(self.lines) >= self.limit

    def inline(self, node, room, depth=0):
        """Returns the node in one line, or None if that is longer than room."""
        if not node.data.get("fields"):
            return node.text if len(node.text) <= room or depth == 0 else None
        if node.more() or depth > 6:
            return None
        out = node.text + " = {" if node.text else "{"
        for i, (name, child) in enumerate(node.fields()):
            text = self.inline(child, room - len(out), depth + 1)
            if text is None:
                return None
            out += (", " if i else "") + (text if name.startswith("[") else name + " = " + text)
            if len(out) > room:
                return None
        return out + "}"

    def add(self, node, indent="", name=""):
        label = indent + (name + " = " if name else "")
        text = self.inline(node, self.WIDTH - len(label)) if name or not node.text else None
        if node.text and len(indent) > 2 * self.depth:
            text = node.text
        if text is not None or not node.has_fields():
            self.lines.append(label + (node.text if text is None else text))
            return
        if name or node.text:
            self.lines.append(indent + " = ".join(x for x in (name, node.text) if x))
            indent += "  "
        for field, child in node.fields():
            if self.full():
                self.lines.append(indent + "...")
                return
            self.add(child, indent, field)


# How deep the commands show nodes. The commands for single handles show more.
DEPTHS = {"call": 0, "calls": 1, "requests": 1, "comms": 1, "collectives": 1, "queues": 1, "findings": 0}


def render(node, limit):
    """Returns the lines that show a node, about limit of them at most."""
    request = node.request or {}
    kind = request.get("kind") or request.get("do")
    lines = Lines(limit, DEPTHS.get(request.get("do"), 2 if kind in ("datatype", "buffer") else 0))
    lines.add(node)
    return lines.lines


def trusted(path):
    """Reports whether a program may be executed although its name comes from the memory of a process or a core file:
    only this user or the administrator can have written it."""
    try:
        st = os.stat(path)
    except OSError:
        return False
    if not os.path.isabs(path) or not stat.S_ISREG(st.st_mode) or not os.access(path, os.X_OK):
        return False
    return st.st_uid in (0, os.getuid()) and not st.st_mode & 0o022


class Inspector:
    """A process `mpivet inspect`. It asks for memory while it works on a request."""

    def __init__(self, program, read):
        self.program, self.read = program, read
        self.errors = tempfile.TemporaryFile()
        self.buffer = b""
        self.last = 0
        try:
            # Ctrl-C in the debugger must not end it, so it gets its own process group.
            self.process = subprocess.Popen([program, "inspect"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.errors, start_new_session=True, bufsize=0)
        except OSError as e:
            self.errors.close()
            raise InspectorError("the inspector %s does not start: %s" % (program, e.strerror or e))

    def close(self):
        """Ends the inspector."""
        for f in (self.process.stdin, self.process.stdout, self.errors):
            try:
                f.close()
            except OSError:
                pass
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def _why(self):
        """Returns the last line that the inspector has written to standard error."""
        try:
            self.errors.seek(0)
            lines = self.errors.read(1 << 16).decode("utf-8", "replace").strip().splitlines()
        except (OSError, ValueError):
            return ""
        return ": " + one_line(lines[-1].strip()) if lines else ""

    def _send(self, message):
        data = json.dumps(message).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self.process.stdin.fileno(), data):]
        except (OSError, ValueError):
            raise _Ended(self._why())

    def _line(self):
        while b"\n" not in self.buffer:
            for _ in range(ANSWER_LIMIT * 10):
                # Short waits let the debugger's Ctrl-C through.
                if select.select([self.process.stdout], [], [], 0.1)[0]:
                    break
            else:
                raise InspectorError("the inspector %s does not answer" % self.program)
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                self.process.wait()
                raise _Ended(self._why())
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def _memory(self, message):
        try:
            address, length = int(message["read"]), int(message["length"])
            if not 0 <= length <= READ_LIMIT:
                raise MpivetError("too long")
            data = self.read(address, length)
            if len(data) != length:
                raise MpivetError("cannot access memory at 0x%x" % address)
        except (MpivetError, KeyError, TypeError, ValueError, OverflowError) as e:
            return {"error": one_line(e) or "cannot access memory"}
        return {"data": base64.b64encode(data).decode("ascii")}

    def ask(self, request):
        """Sends a request, reads memory for the inspector, and returns the answer's result. If anything else than the
        inspector's own refusal goes wrong, the inspector is of no use any more, and the caller must close it."""
        self.last += 1
        request = dict(request, id=self.last)
        self._send(request)
        while True:
            try:
                message = json.loads(self._line().decode("utf-8"))
            except ValueError:
                raise InspectorError("the inspector %s does not speak the protocol%s" % (self.program, self._why()))
            if not isinstance(message, dict):
                raise InspectorError("the inspector %s does not speak the protocol" % self.program)
            if "read" in message:
                self._send(self._memory(message))
            elif message.get("id") != self.last:
                raise InspectorError("the inspector %s answers another request" % self.program)
            elif message.get("error"):
                raise MpivetError(one_line(message["error"]))
            else:
                return message.get("result")


class Session:
    """What mpivet knows of one process. The target reads memory and finds symbols: it has the methods
    read(address, length), which raises MpivetError, and symbol(name), which returns an address or None."""

    CACHE = 10000

    def __init__(self, target):
        self.target = target
        self.inspector = None
        self.about = {}
        self.stale = False  # the process has run since the last hello
        self.cache = collections.OrderedDict()
        self.debug = None  # address of mpivet_debug; False: there is none
        self.broken = None  # the last InspectorError since the process stopped

    def changed(self):
        """The memory of the process may have changed."""
        self.cache.clear()
        self.stale = True
        self.broken = None

    def forget_symbols(self):
        """The process may have other libraries now."""
        self.debug = None
        self.changed()

    def close(self):
        if self.inspector is not None:
            self.inspector.close()
            self.inspector = None

    def address(self):
        """Returns the address of mpivet_debug."""
        if self.debug is None:
            self.debug = self.target.symbol("mpivet_debug") or False
        if not self.debug:
            raise NotRecorded("the program does not run under mpivet")
        return self.debug

    def _header(self):
        """Returns the path of mpivet in struct mv_debug."""
        debug = self.address()
        try:
            head = self.target.read(debug, 16)
        except MpivetError:
            raise MpivetError("mpivet_debug cannot be read: is the process running?")
        magic, size = int.from_bytes(head[:8], "little"), int.from_bytes(head[12:16], "little")
        if magic == 0:
            raise NotRecorded("the program does not run under mpivet, or it has not initialized MPI")
        if magic != MAGIC_DEBUG:
            raise MpivetError("the tables of mpivet in the process are damaged, or of another version")
        if not 16 + PROGRAM_SIZE <= size <= 1 << 16:
            return ""
        try:
            path = self.target.read(debug + size - PROGRAM_SIZE, PROGRAM_SIZE)
        except MpivetError:
            return ""
        return os.fsdecode(path.split(b"\0")[0])

    def _programs(self):
        """Returns the executables that may be the inspector, best first."""
        wanted = os.environ.get("MPIVET_INSPECTOR")
        if wanted:
            path = shutil.which(wanted)
            if path is None:
                raise InspectorError("MPIVET_INSPECTOR is %s, which is no program" % wanted)
            return [path]
        found = []
        for path in (self._header(), MPIVET, shutil.which("mpivet")):
            if path and path not in found and (trusted(path) or path == shutil.which("mpivet")):
                found.append(path)
        if not found:
            raise InspectorError("no inspector: put mpivet in PATH, or set the environment variable MPIVET_INSPECTOR "
                                 "to its path")
        return found

    def _hello(self):
        symbols = {}
        for name in FORTRAN_TABLES:
            address = self.target.symbol(name)
            if address:
                symbols[name] = address
        about = self.inspector.ask({"do": "hello", "debug": self.address(), "symbols": symbols})
        self.about = about if isinstance(about, dict) else {}
        self.stale = False

    def _start(self):
        self._header()  # complain about the process before the inspector
        first = None
        for program in self._programs():
            try:
                self.inspector = Inspector(program, self.target.read)
                self._hello()
                return
            except _Ended as e:
                error = InspectorError("the inspector %s has ended%s" % (program, e))
            except MpivetError as e:
                error = e
            except BaseException:
                self.close()
                raise
            self.close()
            first = first or error
        raise first

    def _again(self):
        """Tells the inspector that the process has run."""
        try:
            self._header()
            self._hello()
        except MpivetError:
            self.close()
            raise

    def handle_size(self):
        """Returns the number of bytes of a handle in C, 0 if it is not known."""
        if self.inspector is None:
            self._start()
        size = self.about.get("handle_size")
        return size if isinstance(size, int) else 0

    def _ask(self, request):
        for attempt in (1, 2):
            try:
                if self.inspector is None:
                    self._start()
                elif self.stale:
                    self._again()
                return self.inspector.ask(request)
            except _Ended as e:
                program = self.inspector.program
                self.close()
                if attempt == 2:
                    raise InspectorError("the inspector %s has ended%s" % (program, e))
            except InspectorError:
                self.close()
                raise
            except MpivetError:
                raise
            except BaseException:  # Ctrl-C, for example: an answer may be under way
                self.close()
                raise
        return None

    def ask(self, request):
        """Returns the result of a request: a dictionary, or None."""
        self.address()
        key = json.dumps(request, sort_keys=True)
        if key not in self.cache:
            try:
                answer = self._ask(request), None
            except InspectorError as e:
                self.broken = e
                raise
            except MpivetError as e:
                if self.inspector is None:  # it was not even started
                    self.broken = e
                    raise
                answer = None, e
            self.broken = None
            while len(self.cache) >= self.CACHE:
                self.cache.popitem(last=False)
            self.cache[key] = answer
        result, error = self.cache[key]
        if error is not None:
            raise error
        return result

    def node(self, request, kind=None):
        """Returns the Node that answers a request, or None."""
        result = self.ask(request)
        return None if result is None else Node(result, self, request, kind)

    def handle(self, kind, value, fortran=False, path=""):
        request = {"do": "handle", "kind": kind, "value": value}
        if fortran:
            request["fortran"] = True
        if path:
            request["path"] = path
        return self.node(request, kind)

    def in_call(self, tid):
        """Reports whether a thread may be in an MPI call."""
        return self.ask({"do": "call", "tid": tid}) is not None

    def pointer(self, tid, address):
        """Returns the Node of the buffer at an address if the thread's call uses it, or None. It never complains."""
        try:
            if self.broken is not None or not self.in_call(tid):
                return None
            return self.node({"do": "pointer", "tid": tid, "address": address}, "buffer")
        except MpivetError:
            return None


def split_words(line):
    """Splits a line of a command at spaces that are not in brackets or quotes, as expressions may contain them."""
    words, word, depth, quote = [], "", 0, ""
    for c in line:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if c.isspace() and depth <= 0 and not quote:
            if word:
                words.append(word)
            word = ""
        else:
            word += c
    return words + [word] if word else words


def split_path(line, most, usage):
    """Splits the arguments of a command into at most `most` words and the path that may follow: [2][5]."""
    words = split_words(line)
    path = ""
    if len(words) > 1 and words[-1].startswith(("[", ".")):
        path = words.pop()
    if not 1 <= len(words) <= most:
        raise MpivetError("usage: " + usage)
    return words, path
