# The extension for lldb: the commands "mpivet ..." and summaries of MPI's handles. It only reads memory.

import lldb

SUMMARY_WIDTH = 200


class LldbTarget:
    """Reads memory and symbols of one process."""

    def __init__(self, process):
        self.process = process

    def read(self, address, length):
        if not length:
            return b""
        error = lldb.SBError()
        data = self.process.ReadMemory(address, length, error)
        if not error.Success() or data is None or len(data) != length:
            raise MpivetError("cannot access memory at 0x%x" % address)
        return bytes(data)

    def symbol(self, name):
        target = self.process.GetTarget()
        for context in target.FindSymbols(name):
            address = context.GetSymbol().GetStartAddress().GetLoadAddress(target)
            if address != lldb.LLDB_INVALID_ADDRESS:
                return address
        return None


sessions = {}  # by the unique number of the process in lldb: the session, the number of the stop


def session(process):
    if not process or not process.IsValid() or process.GetState() not in (lldb.eStateStopped, lldb.eStateCrashed,
                                                                          lldb.eStateSuspended):
        raise MpivetError("no process is stopped")
    key = process.GetUniqueID()
    if key not in sessions:
        for other, _ in sessions.values():
            other.close()
        sessions.clear()
        sessions[key] = Session(LldbTarget(process)), process.GetStopID()
    found, stop = sessions[key]
    if stop != process.GetStopID():
        found.forget_symbols()
        sessions[key] = found, process.GetStopID()
    return found


def evaluate(frame, target, expression):
    # A path of variables needs no code in the process. Other expressions must not run code there, either.
    value = frame.GetValueForVariablePath(expression) if frame and frame.IsValid() else None
    if value is None or not value.IsValid() or value.GetError().Fail():
        options = lldb.SBExpressionOptions()
        options.SetAllowJIT(False)
        options.SetFetchDynamicValue(lldb.eNoDynamicValues)
        source = frame if frame and frame.IsValid() else target
        value = source.EvaluateExpression(expression, options)
    if value.GetError().Fail():
        raise MpivetError(value.GetError().GetCString() or "%s has no value" % expression)
    return value.Dereference() if value.GetType().IsReferenceType() else value


def unsigned(value):
    return value.GetValueAsUnsigned() & ((1 << 8 * value.GetByteSize()) - 1)


def fortran_member(value):
    """Returns the member MPI_VAL of a Fortran handle, or None."""
    if value.GetNumChildren() != 1 or value.GetType().GetName().lower() not in FORTRAN_TYPES:
        return None
    return value.GetChildAtIndex(0)


FORTRAN_TYPES = [name.lower() for name in HANDLE_TYPES]


def type_name(value):
    # GetUnqualifiedType would lead from the typedef to the struct behind it.
    words = value.GetType().GetName().split(" ")
    return " ".join(w for w in words if w not in ("const", "volatile"))


def handle_of(s, kind, value):
    """Returns the value as a handle, and whether it is one of Fortran."""
    member = fortran_member(value)
    if member is not None:
        return unsigned(member), True
    name = type_name(value)
    if name in HANDLE_TYPES or value.GetType().IsPointerType():
        return unsigned(value), False
    pointers = kind == "file" or s.handle_size() == 8
    return unsigned(value), pointers and value.GetByteSize() < 8


def address_of(value):
    if value.GetType().IsArrayType() or value.GetType().GetTypeClass() == lldb.eTypeClassStruct:
        address = value.GetLoadAddress()
        if address == lldb.LLDB_INVALID_ADDRESS:
            raise MpivetError("%s has no address" % value.GetName())
        return address
    return unsigned(value)


NO_ARGUMENTS = ("call", "calls", "requests", "comms", "queues", "collectives", "findings")
USAGE = ("usage: mpivet type|comm|group|request|op|win|file|info|errhandler|message|session HANDLE [PATH], "
         "mpivet buffer HANDLE ADDRESS [COUNT] [PATH], mpivet status STATUS, mpivet " + "|".join(NO_ARGUMENTS))


def answer(line, context):
    """Returns the Node that a command asks for, or None."""
    process, frame, target = context.GetProcess(), context.GetFrame(), context.GetTarget()
    command, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if command in NO_ARGUMENTS and not rest:
        s = session(process)
        request = {"do": command}
        if command == "call":
            request["tid"] = context.GetThread().GetThreadID()
        return s.node(request)
    if command == "handle":
        command, _, rest = rest.partition(" ")
    kind = "datatype" if command == "type" else command
    if kind in HANDLE_KINDS:
        words, path = split_path(rest, 1, "mpivet %s HANDLE [PATH]" % command)
        s = session(process)
        value, fortran = handle_of(s, kind, evaluate(frame, target, words[0]))
        return s.handle(kind, value, fortran, path)
    if command == "buffer":
        words, path = split_path(rest, 3, "mpivet buffer HANDLE ADDRESS [COUNT] [PATH]")
        if len(words) < 2:
            raise MpivetError("usage: mpivet buffer HANDLE ADDRESS [COUNT] [PATH]")
        s = session(process)
        value, fortran = handle_of(s, "datatype", evaluate(frame, target, words[0]))
        request = {"do": "buffer", "type": value, "address": address_of(evaluate(frame, target, words[1])), "count": 1}
        if len(words) > 2:
            request["count"] = evaluate(frame, target, words[2]).GetValueAsSigned()
        if path:
            request["path"] = path
        if fortran:
            request["fortran"] = True
        return s.node(request, "buffer")
    if command == "status":
        words, _ = split_path(rest, 1, "mpivet status STATUS")
        return session(process).node({"do": "status", "address": address_of(evaluate(frame, target, words[0]))})
    raise MpivetError(USAGE)


def mpivet(debugger, line, context, result, _):
    """Look at the MPI objects, buffers and calls of a process that runs under mpivet."""
    try:
        node = answer(line, context)
        lines = ["nothing"] if node is None else render(node, 200)
        result.AppendMessage("\n".join(" " * (len(x) - len(x.lstrip(" "))) + one_line(x.lstrip(" ")) for x in lines))
    except MpivetError as e:
        result.SetError("mpivet: " + one_line(e))
    except Exception as e:  # the user shall see one line, whatever happens
        result.SetError("mpivet: error in mpivet's extension: %s: %s" % (type(e).__name__, one_line(e)))


def summary(value, _):
    """Returns the summary of a handle, "" if there is none."""
    try:
        value = value.GetNonSyntheticValue()
        name = type_name(value)
        kind = HANDLE_TYPES.get(name) or HANDLE_TYPES_LOWER.get(name.lower())
        s = session(value.GetProcess())
        if kind is None or s.broken is not None:
            return ""
        handle, fortran = handle_of(s, kind, value)
        node = s.handle(kind, handle, fortran)
        if node is None:
            return ""
        text = Lines(0).inline(node, SUMMARY_WIDTH)
        return one_line(node.text if text is None else text)
    except (NotRecorded, InspectorError):
        return ""
    except MpivetError as e:
        return "<%s>" % one_line(e)
    except Exception:
        return ""


HANDLE_TYPES_LOWER = {name.lower(): kind for name, kind in HANDLE_TYPES.items()}


def __lldb_init_module(debugger, _):
    module = __name__
    debugger.HandleCommand("command script add -f %s.mpivet mpivet" % module)
    for name in sorted(set(HANDLE_TYPES) | set(HANDLE_TYPES_LOWER)):
        # Without -p, the summary would also be used for pointers to handles.
        debugger.HandleCommand("type summary add -p -F %s.summary -w mpivet %s" % (module, name))
    debugger.HandleCommand("type category enable mpivet")
