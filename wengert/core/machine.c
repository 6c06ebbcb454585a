/* The paths of the machine that every eager operation takes, in C.

   Each is the twin of Python beside it, which says what it does and why: the door and `apply` of
   dispatch.py, `Tape.record` of tape.py, `sweep` of reverse.py. What is rare is left to the Python,
   so that a rule of the machine stands in one place: a path here begins only where the values are
   plain, and gives up before it has done anything. compiled.py binds the names. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

/* ---- what compiled.py binds -------------------------------------------------------------------- */

static PyObject *Tensor, *Context, *Row, *Tape, *IndexedSlices; /* classes */
static PyObject *ndarray, *float32, *float64, *numpy;
static PyObject *ONE, *MANY, *NO_ATTRS; /* marks of a record, and of a call */
static PyObject *thread;                /* of which `context` is the state of this thread */
static PyObject *quiet_variable, *QUIET;
static PyObject *scalar_dtypes;         /* of NumPy's scalars, by their class */
static PyObject *float_makers, *int_makers; /* the classes of scalars, by dtype */
static PyObject *operators;             /* places among Python's operators, by NumPy function */
static PyObject *no_index;              /* () */
static PyObject *bound;                 /* the operations of the machine, see bound_ops.py */
static PyObject *of_large, *wrapped, *failed;               /* dispatch.py */
static PyObject *sweep_twin, *take_several, *pull_in_general; /* reverse.py */
static PyObject *large_size;
static Py_ssize_t LARGE;

static const struct { const char *name; PyObject **place; } NAMES[] = {
    {"Tensor", &Tensor}, {"Context", &Context}, {"Row", &Row}, {"Tape", &Tape},
    {"IndexedSlices", &IndexedSlices}, {"ndarray", &ndarray}, {"float32", &float32},
    {"float64", &float64}, {"numpy", &numpy}, {"ONE", &ONE},
    {"MANY", &MANY}, {"NO_ATTRS", &NO_ATTRS}, {"thread", &thread},
    {"quiet_variable", &quiet_variable}, {"QUIET", &QUIET}, {"scalar_dtypes", &scalar_dtypes},
    {"float_makers", &float_makers}, {"int_makers", &int_makers}, {"operators", &operators},
    {"bound", &bound},
    {"of_large", &of_large}, {"wrapped", &wrapped}, {"failed", &failed},
    {"sweep", &sweep_twin}, {"take_several", &take_several},
    {"pull_in_general", &pull_in_general}, {"LARGE", &large_size},
};

/* Where the slots of Python's classes lie in their objects. */
static Py_ssize_t _array, _key, listeners_, building_, interpreter_, quiet_;
static Py_ssize_t kernel_, ufunc_, large_, many_, differentiable_, saves_x_, saves_y_, vjp_,
    sums_back_, passes_slices_, fills_;
static Py_ssize_t records_, positions_;

static const struct { PyObject **class; const char *name; Py_ssize_t *offset; } SLOTS[] = {
    {&Tensor, "_array", &_array}, {&Tensor, "_key", &_key},
    {&Context, "listeners", &listeners_}, {&Context, "building", &building_},
    {&Context, "interpreter", &interpreter_}, {&Context, "quiet_context", &quiet_},
    {&Row, "kernel", &kernel_}, {&Row, "ufunc", &ufunc_}, {&Row, "large", &large_},
    {&Row, "many", &many_}, {&Row, "differentiable", &differentiable_},
    {&Row, "saves_x", &saves_x_}, {&Row, "saves_y", &saves_y_}, {&Row, "vjp", &vjp_},
    {&Row, "sums_back", &sums_back_}, {&Row, "passes_slices", &passes_slices_},
    {&Row, "fills", &fills_}, {&Tape, "records", &records_}, {&Tape, "positions", &positions_},
};

#define LENGTH(table) (sizeof(table) / sizeof *(table))
#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))
#define IS_A(object, class) (Py_TYPE(object) == (PyTypeObject *)(class))
#define IS_TENSOR(object) (IS_A(object, Tensor) && SLOT(object, _array))

/* The strings by which attributes are asked for. */
static PyObject *text_array, *text_key, *text_shape, *text_size, *text_dtype, *text_context,
    *text_record, *text_apply, *text_add, *text_sum_to, *text_to_dense;

static const struct { const char *name; PyObject **place; } TEXTS[] = {
    {"_array", &text_array}, {"_key", &text_key}, {"shape", &text_shape}, {"size", &text_size},
    {"dtype", &text_dtype}, {"context", &text_context}, {"record", &text_record},
    {"apply", &text_apply}, {"add", &text_add}, {"sum_to", &text_sum_to},
    {"to_dense", &text_to_dense},
};

enum { WIDTH = 8, LEAF = -WIDTH, MOST = 16 }; /* of a record; inputs that need no memory */

/* A switch of a row, which is True or False: 1 or 0; -1 with an error. */
static int is_set(PyObject *row, Py_ssize_t slot)
{
    PyObject *value = SLOT(row, slot);
    return value == Py_True ? 1 : value == Py_False ? 0 : value ? PyObject_IsTrue(value) : 0;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

/* The head of NumPy's arrays, which its binary interface fixes; `knows` compares it with an array. */
typedef struct {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *dimensions;
    Py_ssize_t *strides;
    PyObject *base;
    PyObject *descr;
} Array;

#define IS_ARRAY(value) IS_A(value, ndarray)

/* The dtype of an array or of a NumPy scalar, borrowed; NULL without an error for anything else. */
static PyObject *dtype_of(PyObject *value)
{
    if (IS_ARRAY(value))
        return ((Array *)value)->descr;
    return PyDict_GetItem(scalar_dtypes, (PyObject *)Py_TYPE(value));
}

/* The number of elements; -1 with an error. */
static Py_ssize_t size_of(PyObject *value)
{
    Py_ssize_t size = 1;
    if (IS_ARRAY(value)) {
        for (int i = 0; i < ((Array *)value)->nd; i++)
            size *= ((Array *)value)->dimensions[i];
        return size;
    }
    if (dtype_of(value))
        return 1;
    PyObject *found = PyObject_GetAttr(value, text_size);
    if (!found)
        return -1;
    size = PyNumber_AsSsize_t(found, PyExc_OverflowError);
    Py_DECREF(found);
    return size;
}

/* The array in a tensor or a variable. */
static PyObject *array_of(PyObject *value)
{
    if (IS_TENSOR(value))
        return Py_NewRef(SLOT(value, _array));
    return PyObject_GetAttr(value, text_array);
}

/* The key by which tapes know a value; None if it has none yet. */
static PyObject *key_of(PyObject *value)
{
    if (IS_A(value, Tensor) && SLOT(value, _key))
        return Py_NewRef(SLOT(value, _key));
    return PyObject_GetAttr(value, text_key);
}

/* The shape of a tensor, or of what stands for one in a record: its shape alone. */
static PyObject *shape_of(PyObject *value)
{
    if (PyTuple_CheckExact(value))
        return Py_NewRef(value);
    PyObject *array = array_of(value);
    if (!array)
        return NULL;
    PyObject *shape = PyObject_GetAttr(array, text_shape);
    Py_DECREF(array);
    return shape;
}

/* Whether two values have the same shape, of which the second may be a shape; -1 with an error. */
static int same_shape(PyObject *value, PyObject *other)
{
    if (IS_TENSOR(value) && IS_ARRAY(SLOT(value, _array))) {
        Array *a = (Array *)SLOT(value, _array);
        if (IS_TENSOR(other) && IS_ARRAY(SLOT(other, _array))) {
            Array *b = (Array *)SLOT(other, _array);
            return a->nd == b->nd
                && !memcmp(a->dimensions, b->dimensions, a->nd * sizeof *a->dimensions);
        }
    }
    PyObject *shape = shape_of(value), *wanted = shape ? shape_of(other) : NULL;
    int same = wanted ? PyObject_RichCompareBool(shape, wanted, Py_EQ) : -1;
    Py_XDECREF(shape);
    Py_XDECREF(wanted);
    return same;
}

/* A tensor around an array, whose reference it takes. */
static PyObject *wrap(PyObject *array)
{
    PyTypeObject *class = (PyTypeObject *)Tensor;
    PyObject *tensor = class->tp_alloc(class, 0);
    if (!tensor) {
        Py_DECREF(array);
        return NULL;
    }
    SLOT(tensor, _array) = array;
    SLOT(tensor, _key) = Py_NewRef(Py_None);
    return tensor;
}

/* ---- the state of the thread ------------------------------------------------------------------- */

/* The context, borrowed from the thread's dictionary, which ends with the thread. */
static PyObject *current_context(void)
{
    PyObject *here = PyThreadState_GetDict();
    if (!here) {
        PyErr_SetString(PyExc_RuntimeError, "the thread has no state");
        return NULL;
    }
    PyObject *context = PyDict_GetItemWithError(here, thread);
    if (context || PyErr_Occurred())
        return context;
    context = PyObject_GetAttr(thread, text_context);
    if (!context)
        return NULL;
    if (!IS_A(context, Context) || PyDict_SetItem(here, thread, context) < 0)
        Py_CLEAR(context);
    Py_XDECREF(context); /* the dictionary keeps it */
    if (!context && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "the state of the thread is no Context");
    return context;
}

/* ---- the tape ---------------------------------------------------------------------------------- */

/* 1 if the tape follows the key. */
static int is_followed(PyObject *positions, PyObject *key)
{
    return key == Py_None ? 0 : PyDict_Contains(positions, key);
}

/* What a record keeps of an input: itself, or its shape where the tape can compute it again. */
static PyObject *kept(PyObject *input, int followed, int saves_x)
{
    return saves_x || !followed ? Py_NewRef(input) : shape_of(input);
}

/* The key of a result, made if it has none. */
static PyObject *new_key_of(PyObject *result)
{
    PyObject *key = key_of(result);
    if (key != Py_None)
        return key;
    Py_DECREF(key);
    key = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    if (key && PyObject_SetAttr(result, text_key, key) < 0)
        Py_CLEAR(key);
    return key;
}

/* Add eight neighbours to the records; takes the references, of which one is NULL after an error. */
static int append(PyObject *records, PyObject *record[WIDTH])
{
    Py_ssize_t before = PyList_GET_SIZE(records);
    int good = 1;
    for (int i = 0; i < WIDTH; i++) {
        good = good && record[i] && PyList_Append(records, record[i]) == 0;
        Py_XDECREF(record[i]);
    }
    if (!good)
        PyList_SetSlice(records, before, PyList_GET_SIZE(records), NULL);
    return good ? 0 : -1;
}

/* Tape.record for one or two inputs and one result. */
static int record(PyObject *tape, PyObject *row, PyObject *const *inputs, Py_ssize_t count,
                  PyObject *attrs, PyObject *result)
{
    PyObject *positions = SLOT(tape, positions_), *records = SLOT(tape, records_);
    PyObject *a = inputs[0], *b = count == 2 ? inputs[1] : Py_None;
    PyObject *key_a = key_of(a), *key_b = count == 2 ? key_of(b) : Py_NewRef(ONE);
    int first = key_a ? is_followed(positions, key_a) : -1;
    int second = !key_b ? -1 : count == 2 ? is_followed(positions, key_b) : 0;
    if (first < 0 || second < 0 || !(first || second) || !is_set(row, differentiable_)) {
        Py_XDECREF(key_a);
        Py_XDECREF(key_b);
        return first < 0 || second < 0 ? -1 : 0;
    }
    int saves_x = is_set(row, saves_x_), saves_y = is_set(row, saves_y_);
    PyObject *out = new_key_of(result), *at = PyLong_FromSsize_t(PyList_GET_SIZE(records));
    if (out && (!at || PyDict_SetItem(positions, out, at) < 0))
        Py_CLEAR(out);
    Py_XDECREF(at);
    PyObject *made[WIDTH] = {
        Py_NewRef(row), Py_NewRef(attrs), key_a, key_b, out ? kept(a, first, saves_x) : NULL,
        out ? kept(b, second, saves_x) : NULL, out, Py_NewRef(saves_y ? result : Py_None),
    };
    return append(records, made);
}

/* Tell the recorders of an operation. `sequence` holds the inputs, or is NULL: then it is made. */
static int tell(PyObject *listeners, PyObject *row, PyObject *sequence, PyObject *const *inputs,
                Py_ssize_t count, PyObject *attrs, PyObject *result)
{
    int good = 1, few = (count == 1 || count == 2) && !is_set(row, many_);
    PyObject *given = Py_XNewRef(sequence);
    for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(listeners); i++) {
        PyObject *recorder = PyTuple_GET_ITEM(listeners, i);
        if (few && IS_A(recorder, Tape)) {
            good = record(recorder, row, inputs, count, attrs, result) == 0;
            continue;
        }
        if (!given)
            given = count == 1 ? PyTuple_Pack(1, inputs[0]) : PyTuple_Pack(2, inputs[0], inputs[1]);
        PyObject *done = given
            ? PyObject_CallMethodObjArgs(recorder, text_record, row, given, attrs, result, NULL)
            : NULL;
        good = done != NULL;
        Py_XDECREF(done);
    }
    Py_XDECREF(given);
    return good ? 0 : -1;
}

/* ---- the doors --------------------------------------------------------------------------------- */

/* The door for a NumPy function of one or two arrays. `otherwise` is called where the values are not
   plain; without it, as within that function, the answer is None then. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *row, *takes, *otherwise;
    Py_ssize_t count; /* of the tensors it takes */
    int swapped;      /* as an operator whose right operand is the tensor */
    binaryfunc of_scalars; /* the same for two numbers, where Python's operator gives the same bits */
} Door;

/* Whether the dtype is one of those that the door takes, which are singletons. */
static int is_taken(Door *door, PyObject *dtype)
{
    for (Py_ssize_t i = 0; dtype && i < PyTuple_GET_SIZE(door->takes); i++)
        if (PyTuple_GET_ITEM(door->takes, i) == dtype)
            return 1;
    return 0;
}

/* A Python number as a tensor of a dtype; NULL where that is not unambiguous. */
static PyObject *number_like(PyObject *number, PyObject *dtype)
{
    PyObject *maker = PyDict_GetItem(float_makers, dtype);
    if (!maker && PyLong_CheckExact(number))
        maker = PyDict_GetItem(int_makers, dtype);
    PyObject *made = maker ? PyObject_CallOneArg(maker, number) : NULL;
    return made ? wrap(made) : NULL;
}

#define IS_NUMBER(value) (PyFloat_CheckExact(value) || PyLong_CheckExact(value))

/* Whether it is the dtype of one of the floats that processors compute with. */
static int is_float(PyObject *dtype)
{
    return dtype && (dtype == float32 || dtype == float64);
}

/* A float of an array without axes as NumPy's scalar, which functions take in half of the time. */
static PyObject *as_scalar(PyObject *value)
{
    if (!IS_ARRAY(value) || ((Array *)value)->nd || !is_float(((Array *)value)->descr))
        return Py_NewRef(value);
    return PyObject_GetItem(value, no_index);
}

/* Carry out the function of a door on what tensors hold. */
static PyObject *called(Door *door, PyObject *a, PyObject *b)
{
    PyObject *operands[2] = {as_scalar(a), b ? as_scalar(b) : NULL}, *value = NULL;
    if (operands[0] && (operands[1] || !b)) {
        if (door->of_scalars && !IS_ARRAY(operands[0]) && !IS_ARRAY(operands[1])
            && is_float(dtype_of(operands[0])))
            value = door->of_scalars(operands[0], operands[1]);
        else
            value = PyObject_Vectorcall(SLOT(door->row, ufunc_), operands, door->count, NULL);
    }
    Py_XDECREF(operands[0]);
    Py_XDECREF(operands[1]);
    return value;
}

/* Compute with the floating-point errors off; the inputs are owned, and may become tensors. */
static PyObject *computed(Door *door, PyObject *inputs[2], PyObject *quiet)
{
    if (PyContext_Enter(quiet) < 0)
        return NULL;
    PyObject *value = NULL;
    int good = 1;
    for (Py_ssize_t i = 0; good && i < door->count; i++)
        if (IS_NUMBER(inputs[i])) {
            PyObject *tensor = number_like(inputs[i], dtype_of(SLOT(inputs[1 - i], _array)));
            good = tensor != NULL;
            if (good)
                Py_SETREF(inputs[i], tensor);
        }
    if (good)
        value = called(door, SLOT(inputs[0], _array), inputs[1] ? SLOT(inputs[1], _array) : NULL);
    if (PyContext_Exit(quiet) < 0)
        Py_CLEAR(value);
    return value;
}

/* Whether the arguments are tensors of one dtype that the door takes, or a number beside one. */
static int are_plain(Door *door, PyObject *x, PyObject *y)
{
    if (door->count == 1)
        return IS_TENSOR(x) && is_taken(door, dtype_of(SLOT(x, _array)))
            && size_of(SLOT(x, _array)) < LARGE;
    if (IS_TENSOR(x)) {
        PyObject *dtype = dtype_of(SLOT(x, _array));
        if (!is_taken(door, dtype))
            return 0;
        return IS_TENSOR(y) ? dtype_of(SLOT(y, _array)) == dtype : IS_NUMBER(y);
    }
    return IS_NUMBER(x) && IS_TENSOR(y) && is_taken(door, dtype_of(SLOT(y, _array)));
}

/* The result where all is plain; NULL without an error where it is not. */
static PyObject *through(Door *door, PyObject *x, PyObject *y)
{
    if (!are_plain(door, x, y))
        return NULL;
    PyObject *context = current_context();
    if (!context)
        return NULL;
    PyObject *listeners = SLOT(context, listeners_);
    if (listeners == Py_None)
        return NULL;
    Py_INCREF(listeners);
    PyObject *inputs[2] = {Py_NewRef(x), Py_XNewRef(y)};
    PyObject *value = computed(door, inputs, SLOT(context, quiet_));
    PyObject *result = value ? wrap(value) : NULL;
    if (!result && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear(); /* the general door explains it */
    if (result && PyTuple_GET_SIZE(listeners)
        && tell(listeners, door->row, NULL, inputs, door->count, NO_ATTRS, result) < 0)
        Py_CLEAR(result);
    Py_DECREF(listeners);
    Py_DECREF(inputs[0]);
    Py_XDECREF(inputs[1]);
    return result;
}

static PyObject *door_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    Door *door = (Door *)callable;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    if (!names && count == door->count) {
        PyObject *y = count == 2 ? args[!door->swapped] : NULL;
        PyObject *result = through(door, args[count == 2 && door->swapped], y);
        if (result || PyErr_Occurred())
            return result;
    }
    if (door->otherwise == Py_None)
        Py_RETURN_NONE;
    return PyObject_Vectorcall(door->otherwise, args, nargsf, names);
}

static PyObject *door_new(PyTypeObject *class, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"row", "takes", "count", "otherwise", "swapped", NULL};
    PyObject *row, *takes, *otherwise = Py_None;
    Py_ssize_t count;
    int swapped = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!n|Op", names, &row, &PyTuple_Type, &takes,
                                     &count, &otherwise, &swapped))
        return NULL;
    if (!IS_A(row, Row) || count < 1 || count > 2)
        return PyErr_Format(PyExc_TypeError, "a door is for a row of one or two inputs");
    Door *door = (Door *)class->tp_alloc(class, 0);
    if (!door)
        return NULL;
    door->call = door_call;
    door->row = Py_NewRef(row);
    door->takes = Py_NewRef(takes);
    door->otherwise = Py_NewRef(otherwise);
    door->count = count;
    door->swapped = swapped;
    PyObject *function = PyDict_GetItem(operators, SLOT(row, ufunc_));
    long operator = function ? PyLong_AsLong(function) : -1;
    static const binaryfunc OPERATORS[] = {
        PyNumber_Add, PyNumber_Subtract, PyNumber_Multiply, PyNumber_TrueDivide};
    if (0 <= operator && operator < (long)LENGTH(OPERATORS))
        door->of_scalars = OPERATORS[operator];
    return (PyObject *)door;
}

static int door_traverse(PyObject *self, visitproc visit, void *arg)
{
    Door *door = (Door *)self;
    Py_VISIT(door->row);
    Py_VISIT(door->takes);
    Py_VISIT(door->otherwise);
    return 0;
}

static int door_clear(PyObject *self)
{
    Door *door = (Door *)self;
    Py_CLEAR(door->row);
    Py_CLEAR(door->takes);
    Py_CLEAR(door->otherwise);
    return 0;
}

static void door_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    door_clear(self);
    Py_TYPE(self)->tp_free(self);
}

/* As an operator in a class it is a method. */
static PyObject *door_get(PyObject *self, PyObject *instance, PyObject *class)
{
    return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

/* Its name, words and signature are those of the function behind it. */
static PyObject *door_getattro(PyObject *self, PyObject *name)
{
    Door *door = (Door *)self;
    if (door->otherwise == Py_None && !PyUnicode_CompareWithASCIIString(name, "of"))
        return Py_BuildValue("OOn", door->row, door->takes, door->count);
    return PyObject_GetAttr(door->otherwise, name);
}

static PyTypeObject DoorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "wengert.core._machine.Door",
    .tp_doc = "The door for a NumPy function of one or two arrays.",
    .tp_basicsize = sizeof(Door),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL
        | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = door_new,
    .tp_dealloc = door_dealloc,
    .tp_traverse = door_traverse,
    .tp_clear = door_clear,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Door, call),
    .tp_descr_get = door_get,
    .tp_getattro = door_getattro,
};

/* Carry out an operation: dispatch.apply. */
static PyObject *computed_with_quiet_errors(PyObject *row, PyObject *inputs, PyObject *const *values,
                                            Py_ssize_t count, PyObject *attrs)
{
    PyObject *room[MOST + 1], **arrays = room, *value = NULL;
    PyObject *token = PyContextVar_Set(quiet_variable, QUIET);
    if (!token)
        return NULL;
    if (count > MOST)
        arrays = PyMem_New(PyObject *, count + 1);
    if (!arrays) {
        PyErr_NoMemory();
        goto leave;
    }
    arrays[0] = numpy;
    Py_ssize_t got = 0;
    while (got < count && (arrays[got + 1] = array_of(values[got])))
        got++;
    if (got == count) {
        Py_ssize_t size = SLOT(row, large_) == Py_None || !count ? 0 : size_of(arrays[1]);
        if (size >= LARGE) {
            PyObject *list = PyList_New(count);
            for (Py_ssize_t i = 0; list && i < count; i++)
                PyList_SET_ITEM(list, i, Py_NewRef(arrays[i + 1]));
            value = list ? PyObject_CallFunctionObjArgs(of_large, row, list, attrs, NULL) : NULL;
            Py_XDECREF(list);
        } else if (size >= 0)
            value = PyObject_VectorcallDict(SLOT(row, kernel_), arrays, count + 1,
                                            PyDict_GET_SIZE(attrs) ? attrs : NULL);
    }
    for (Py_ssize_t i = 0; i < got; i++)
        Py_DECREF(arrays[i + 1]);
leave:
    if (arrays && arrays != room)
        PyMem_Free(arrays);
    if (!value && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyObject *kind, *error, *traceback; /* raise what explains it */
        PyErr_Fetch(&kind, &error, &traceback);
        PyErr_NormalizeException(&kind, &error, &traceback);
        if (traceback)
            PyException_SetTraceback(error, traceback);
        PyObject *never = PyObject_CallFunctionObjArgs(failed, row, inputs, error, NULL);
        Py_XDECREF(never);
        Py_XDECREF(kind);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
    }
    PyObject *kind, *error, *traceback;
    PyErr_Fetch(&kind, &error, &traceback);
    int left = PyContextVar_Reset(quiet_variable, token);
    Py_DECREF(token);
    if (left == 0) {
        PyErr_Restore(kind, error, traceback);
        return value;
    }
    Py_XDECREF(kind);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    Py_XDECREF(value);
    return NULL;
}

/* What a kernel computed, whose reference it takes, as a tensor, or as the list of several. */
static PyObject *as_result(PyObject *row, PyObject *value)
{
    if (!is_set(row, many_)) {
        if (!PyBytes_CheckExact(value))
            return wrap(value);
        PyObject *text = PyObject_CallOneArg(wrapped, value);
        Py_DECREF(value);
        return text;
    }
    PyObject *several = PySequence_List(value);
    Py_DECREF(value);
    for (Py_ssize_t i = 0; several && i < PyList_GET_SIZE(several); i++) {
        PyObject *one = PyList_GET_ITEM(several, i);
        one = PyBytes_CheckExact(one) ? PyObject_CallOneArg(wrapped, one) : wrap(Py_NewRef(one));
        if (!one || PyList_SetItem(several, i, one) < 0)
            Py_CLEAR(several);
    }
    return several;
}

static PyObject *apply(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    PyObject *given[4] = {NULL, NULL, NO_ATTRS, Py_None};
    static const char *const parameters[4] = {"row", "inputs", "attrs", "name"};
    for (Py_ssize_t i = 0; i < nargs && i < 4; i++)
        given[i] = args[i];
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        int at = 0;
        while (at < 4 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), parameters[at]))
            at++;
        if (at < 4)
            given[at] = args[nargs + i];
    }
    PyObject *row = given[0], *inputs = given[1], *attrs = given[2];
    if (nargs > 4 || !row || !inputs || !PyObject_TypeCheck(row, (PyTypeObject *)Row)
        || !PyDict_Check(attrs))
        return PyErr_Format(PyExc_TypeError, "apply takes a row, its inputs, attributes and a name");
    PyObject *context = current_context();
    if (!context)
        return NULL;
    PyObject *listeners = SLOT(context, listeners_);
    if (listeners == Py_None)
        return PyObject_CallMethodObjArgs(SLOT(context, interpreter_), text_apply, row, inputs, attrs,
                                          given[3], NULL);
    PyObject *sequence = PySequence_Fast(inputs, "inputs are a sequence");
    if (!sequence)
        return NULL;
    Py_INCREF(listeners);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    PyObject **values = PySequence_Fast_ITEMS(sequence);
    PyObject *value = computed_with_quiet_errors(row, inputs, values, count, attrs);
    PyObject *result = value ? as_result(row, value) : NULL;
    if (result && PyTuple_GET_SIZE(listeners)
        && tell(listeners, row, inputs, values, count, attrs, result) < 0)
        Py_CLEAR(result);
    Py_DECREF(listeners);
    Py_DECREF(sequence);
    return result;
}

/* ---- the sweep --------------------------------------------------------------------------------- */

/* Whether a container, mostly a set or a dictionary, holds the key. */
static int holds(PyObject *container, PyObject *key)
{
    if (PyDict_CheckExact(container))
        return PyDict_Contains(container, key);
    return PyAnySet_CheckExact(container) ? PySet_Contains(container, key)
                                          : PySequence_Contains(container, key);
}

/* Add to the cotangent of a key; takes the reference. */
static int accumulate(PyObject *cotangents, PyObject *key, PyObject *pulled)
{
    PyObject *before = PyDict_GetItemWithError(cotangents, key);
    int good = !PyErr_Occurred();
    if (before) {
        Py_INCREF(before);
        PyObject *sum = PyObject_CallMethodObjArgs(bound, text_add, before, pulled, NULL);
        Py_DECREF(before);
        Py_SETREF(pulled, sum);
    }
    good = good && pulled && PyDict_SetItem(cotangents, key, pulled) == 0;
    Py_XDECREF(pulled);
    return good ? 0 : -1;
}

/* Call the rule of one input, and add what it gives; `args` are the cotangent, the result, the inputs. */
static int pull(PyObject *row, Py_ssize_t at, PyObject *const *args, Py_ssize_t count,
                PyObject *attrs, PyObject *key, PyObject *cotangents)
{
    PyObject *rules = SLOT(row, vjp_);
    PyObject *rule = PyTuple_CheckExact(rules) && at < PyTuple_GET_SIZE(rules)
        ? Py_NewRef(PyTuple_GET_ITEM(rules, at)) : PySequence_GetItem(rules, at);
    if (!rule)
        return -1;
    if (rule == Py_None) {
        Py_DECREF(rule);
        return 0;
    }
    PyObject *pulled = PyObject_VectorcallDict(rule, args, count + 2,
                                               PyDict_GET_SIZE(attrs) ? attrs : NULL);
    Py_DECREF(rule);
    if (!pulled || pulled == Py_None) {
        Py_XDECREF(pulled);
        return pulled ? 0 : -1;
    }
    int sums = IS_A(pulled, IndexedSlices) ? 0 : is_set(row, sums_back_);
    PyObject *input = args[at + 2];
    int same = sums > 0 ? same_shape(pulled, input) : !sums;
    if (same == 0) { /* the input was broadcast */
        PyObject *shape = shape_of(input);
        PyObject *sum = shape
            ? PyObject_CallMethodObjArgs(bound, text_sum_to, pulled, shape, NULL) : NULL;
        Py_XDECREF(shape);
        Py_SETREF(pulled, sum);
    } else if (same < 0)
        Py_CLEAR(pulled);
    return pulled ? accumulate(cotangents, key, pulled) : -1;
}

/* The rules of a record of one or two inputs. */
static int pull_each(PyObject *const record[WIDTH], PyObject *g, PyObject *cotangents,
                     PyObject *needed)
{
    PyObject *args[] = {g, record[7], record[4], record[5]};
    Py_ssize_t count = record[3] == ONE ? 1 : 2;
    for (Py_ssize_t i = 0; i < count; i++) {
        int wanted = holds(needed, record[2 + i]);
        if (wanted < 0
            || (wanted && pull(record[0], i, args, count, record[1], record[2 + i], cotangents) < 0))
            return -1;
    }
    return 0;
}

/* The cotangent of a record's result, taken from the cotangents; None without an error: there is none. */
static PyObject *taken(PyObject *row, PyObject *out, PyObject *y, PyObject *cotangents,
                       PyObject *found, PyObject *wanted, int inner)
{
    if (is_set(row, many_))
        return PyObject_CallFunctionObjArgs(take_several, cotangents, out, y, found, wanted,
                                            SLOT(row, fills_), NULL);
    PyObject *g = PyDict_GetItemWithError(cotangents, out);
    if (!g)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    Py_INCREF(g);
    int is_wanted = inner ? holds(wanted, out) : 0;
    if (is_wanted < 0 || PyDict_DelItem(cotangents, out) < 0
        || (is_wanted && PyDict_SetItem(found, out, g) < 0))
        Py_CLEAR(g);
    if (g && IS_A(g, IndexedSlices) && !is_set(row, passes_slices_))
        Py_SETREF(g, PyObject_CallMethodObjArgs(bound, text_to_dense, g, NULL));
    return g;
}

/* Pull the cotangent of one record back to its inputs; takes the references of the record. */
static int pull_record(PyObject *record[WIDTH], PyObject *cotangents, PyObject *found,
                       PyObject *needed, PyObject *wanted, int inner)
{
    PyObject *row = record[0];
    PyObject *g = taken(row, record[6], record[7], cotangents, found, wanted, inner);
    int good = g != NULL;
    if (good && g != Py_None) {
        if (SLOT(row, vjp_) != Py_None && record[3] != MANY)
            good = pull_each(record, g, cotangents, needed) == 0;
        else {
            PyObject *done = PyObject_CallFunctionObjArgs(
                pull_in_general, row, record[1], record[2], record[3], record[4], record[5],
                record[7], g, cotangents, needed, NULL);
            good = done != NULL;
            Py_XDECREF(done);
        }
    }
    Py_XDECREF(g);
    for (int i = 0; i < WIDTH; i++)
        Py_DECREF(record[i]);
    return good ? 0 : -1;
}

/* reverse.sweep, in eager mode. */
static PyObject *sweep(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 6 || !PyList_CheckExact(args[0]) || !PyDict_CheckExact(args[2]))
        return PyErr_Format(PyExc_TypeError, "sweep takes records, drain, cotangents, needed, wanted "
                                             "and inner, by position");
    PyObject *records = args[0], *cotangents = args[2], *needed = args[3], *wanted = args[4];
    int drain = PyObject_IsTrue(args[1]), inner = PyObject_IsTrue(args[5]);
    PyObject *context = current_context();
    if (!context)
        return NULL;
    if (SLOT(context, building_) != Py_None)
        return PyObject_Vectorcall(sweep_twin, args, nargs, NULL);
    PyObject *found = PyDict_New();
    int good = found != NULL;
    for (Py_ssize_t at = PyList_GET_SIZE(records) - WIDTH; good && at >= 0; at -= WIDTH) {
        PyObject *record[WIDTH];
        if (at + WIDTH > PyList_GET_SIZE(records)) {
            PyErr_SetString(PyExc_RuntimeError, "the records changed while they were swept");
            good = 0;
            break;
        }
        for (int i = 0; i < WIDTH; i++)
            record[i] = Py_NewRef(PyList_GET_ITEM(records, at + i));
        if (drain)
            good = PyList_SetSlice(records, at, at + WIDTH, NULL) == 0;
        good = good && PyObject_TypeCheck(record[0], (PyTypeObject *)Row);
        good = pull_record(record, cotangents, found, needed, wanted, inner) == 0 && good;
    }
    PyObject *key, *g;
    Py_ssize_t place = 0;
    while (good && PyDict_Next(cotangents, &place, &key, &g)) {
        int left = holds(wanted, key), there = PyDict_Contains(found, key);
        good = left >= 0 && there >= 0 && (!left || there || PyDict_SetItem(found, key, g) == 0);
    }
    if (!good)
        Py_CLEAR(found);
    return found;
}

/* ---- the module -------------------------------------------------------------------------------- */

/* Bind names of Python's half. */
static PyObject *setup(PyObject *module, PyObject *args, PyObject *names)
{
    for (size_t i = 0; names && i < LENGTH(NAMES); i++) {
        PyObject *value = PyDict_GetItemString(names, NAMES[i].name);
        if (value)
            Py_XSETREF(*NAMES[i].place, Py_NewRef(value));
    }
    for (size_t i = 0; i < LENGTH(SLOTS); i++) {
        PyObject *slot = PyObject_GetAttrString(*SLOTS[i].class, SLOTS[i].name);
        if (!slot)
            return NULL;
        if (!IS_A(slot, &PyMemberDescr_Type)) {
            Py_DECREF(slot);
            return PyErr_Format(PyExc_TypeError, "%s is no slot", SLOTS[i].name);
        }
        *SLOTS[i].offset = ((PyMemberDescrObject *)slot)->d_member->offset;
        Py_DECREF(slot);
    }
    LARGE = PyLong_AsSsize_t(large_size);
    Py_RETURN_NONE;
}

/* Whether an array of shape (3, 5) is what this file takes it for. */
static PyObject *knows(PyObject *module, PyObject *sample)
{
    Array *array = (Array *)sample;
    PyObject *dtype = PyObject_GetAttr(sample, text_dtype);
    if (!dtype)
        return NULL;
    Py_DECREF(dtype);
    return PyBool_FromLong(array->nd == 2 && array->dimensions[0] == 3 && array->dimensions[1] == 5
                           && array->descr == dtype);
}

static PyMethodDef METHODS[] = {
    {"apply", (PyCFunction)(void (*)(void))apply, METH_FASTCALL | METH_KEYWORDS, NULL},
    {"sweep", (PyCFunction)(void (*)(void))sweep, METH_FASTCALL, NULL},
    {"knows", knows, METH_O, NULL},
    {"setup", (PyCFunction)(void (*)(void))setup, METH_VARARGS | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_machine", "The paths of every eager operation, in C.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__machine(void)
{
    for (size_t i = 0; i < LENGTH(TEXTS); i++)
        if (!(*TEXTS[i].place = PyUnicode_InternFromString(TEXTS[i].name)))
            return NULL;
    if (!(no_index = PyTuple_New(0)) || PyType_Ready(&DoorType) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&MODULE);
    if (module && (PyModule_AddObjectRef(module, "Door", (PyObject *)&DoorType) < 0
                   || PyModule_AddStringConstant(module, "SOURCE", SOURCE) < 0))
        Py_CLEAR(module);
    return module;
}
