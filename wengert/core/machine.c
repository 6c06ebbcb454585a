/* The paths of the machine that every eager operation takes, in C.

   Each is the twin of Python beside it, which says what it does and why: the door and `apply` of
   dispatch.py, `Tape.record` of tape.py, `sweep` of reverse.py. What is rare is left to the Python,
   so that a rule of the machine stands in one place: a path here begins only where the values are
   plain, and gives up before it has done anything. compiled.py loads it. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

/* ---- what Python's half binds, by these names -------------------------------------------------- */

#define NAMES(_) \
    _(Tensor) _(Variable) _(Context) _(Row) _(Tape) _(IndexedSlices) /* classes */ \
    _(ndarray) _(numpy) _(float32) _(float64) _(truth) \
    _(scalar_dtypes)             /* the dtypes of NumPy's scalars, by their class */ \
    _(float_makers) _(int_makers) /* classes of scalars, by dtype */ \
    _(operators)                 /* Python's operators that do what a NumPy function does, by it */ \
    _(ONE) _(MANY) _(NO_ATTRS)   /* marks of a record, and of a call */ \
    _(quiet_variable) _(QUIET) _(LARGE) _(LARGE_PAIR) _(LARGE_HALF) _(is_half) _(NARROW) _(MANY_ROWS) _(bound) \
    _(of_large) _(as_result) _(failed) _(apply_in_python)         /* dispatch.py */ \
    _(sweep_in_python) _(take_several) _(pull_in_general) _(added) /* reverse.py */

/* The slots of Python's classes, whose places in an object are found out. */
#define SLOTS(_) \
    _(Tensor, _array) _(Tensor, _key) _(Tape, records) _(Tape, positions) \
    _(Context, listeners) _(Context, building) _(Context, interpreter) _(Context, quiet_context) \
    _(Row, kernel) _(Row, ufunc) _(Row, large) _(Row, large_from) _(Row, by_rows) _(Row, many) _(Row, differentiable) _(Row, saves_x) \
    _(Row, saves_y) _(Row, vjp) _(Row, add_part) _(Row, sums_back) _(Row, passes_slices)

/* Attributes that are asked for by their names. */
#define TEXTS(_) \
    _(_array) _(_key) _(shape) _(size) _(dtype) _(record) _(read_value) _(apply) _(add) \
    _(sum_to) _(to_dense) _(watch_results)

#define OBJECT(name) static PyObject *name;
#define PLACE(class, slot) static Py_ssize_t class##_##slot;
#define TEXT(name) static PyObject *text_##name;
NAMES(OBJECT)
SLOTS(PLACE)
TEXTS(TEXT)

#define SLOT(object, place) (*(PyObject **)((char *)(object) + (place)))
#define IS_A(object, class) (Py_TYPE(object) == (PyTypeObject *)(class))
#define IS_TENSOR(object) (IS_A(object, Tensor) && SLOT(object, Tensor__array))
#define IS_ARRAY(value) IS_A(value, ndarray)
#define IS_NUMBER(value) (PyFloat_CheckExact(value) || PyLong_CheckExact(value))

/* The width of a record; the most inputs that are taken here; a flag of NumPy's. */
enum { WIDTH = 8, MOST = 16, CONTIGUOUS = 1 };

static PyObject *no_index; /* () */

/* A switch of a row, which is True or False. */
static int is_set(PyObject *row, Py_ssize_t slot)
{
    PyObject *value = SLOT(row, slot);
    return value == Py_True || (value != Py_False && PyObject_IsTrue(value) > 0);
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
    int flags;
} Array;

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
        return Py_NewRef(SLOT(value, Tensor__array));
    return PyObject_GetAttr(value, text__array);
}

/* The key by which tapes know a value; None if it has none yet. */
static PyObject *key_of(PyObject *value)
{
    if (IS_A(value, Tensor) && SLOT(value, Tensor__key))
        return Py_NewRef(SLOT(value, Tensor__key));
    return PyObject_GetAttr(value, text__key);
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
    if (IS_TENSOR(value) && IS_ARRAY(SLOT(value, Tensor__array))) {
        Array *a = (Array *)SLOT(value, Tensor__array);
        if (IS_TENSOR(other) && IS_ARRAY(SLOT(other, Tensor__array))) {
            Array *b = (Array *)SLOT(other, Tensor__array);
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
    SLOT(tensor, Tensor__array) = array;
    SLOT(tensor, Tensor__key) = Py_NewRef(Py_None);
    return tensor;
}

/* ---- the state of the thread ------------------------------------------------------------------- */

/* The context, borrowed from the thread's dictionary, which ends with the thread. Where a finalizer
   made one while this one was made, that is the thread's. */
static PyObject *current_context(void)
{
    PyObject *here = PyThreadState_GetDict();
    PyObject *context = here ? PyDict_GetItemWithError(here, Context) : NULL;
    if (context || PyErr_Occurred())
        return context;
    PyObject *made = PyObject_CallNoArgs(Context);
    if (made && here)
        context = PyDict_SetDefault(here, Context, made); /* which keeps it */
    Py_XDECREF(made);
    if (!context && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the thread has no state");
    return context;
}

/* The same for Python, as the function of a property. */
static PyObject *context(PyObject *module, PyObject *thread)
{
    return Py_XNewRef(current_context());
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
    if (key && PyObject_SetAttr(result, text__key, key) < 0)
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

/* Tape.watch_results for one result; most are truth values, which nothing flows back from. */
static int watch_result(PyObject *tape, PyObject *row, PyObject *result)
{
    PyObject *array = array_of(result);
    if (!array)
        return -1;
    int of_truths = dtype_of(array) == truth;
    Py_DECREF(array);
    if (of_truths)
        return 0;
    PyObject *done = PyObject_CallMethodObjArgs(tape, text_watch_results, row, result, NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Tape.record for one or two inputs and one result. */
static int record(PyObject *tape, PyObject *row, PyObject *const *inputs, Py_ssize_t count,
                  PyObject *attrs, PyObject *result)
{
    PyObject *positions = SLOT(tape, Tape_positions), *records = SLOT(tape, Tape_records);
    PyObject *a = inputs[0], *b = count == 2 ? inputs[1] : Py_None;
    PyObject *key_a = key_of(a), *key_b = count == 2 ? key_of(b) : Py_NewRef(ONE);
    int first = key_a ? is_followed(positions, key_a) : -1;
    int second = !key_b ? -1 : count == 2 ? is_followed(positions, key_b) : 0;
    int differentiable = is_set(row, Row_differentiable);
    if (first < 0 || second < 0 || !(first || second) || !differentiable) {
        Py_XDECREF(key_a);
        Py_XDECREF(key_b);
        if (first < 0 || second < 0)
            return -1;
        return first || second ? watch_result(tape, row, result) : 0;
    }
    int saves_x = is_set(row, Row_saves_x), saves_y = is_set(row, Row_saves_y);
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
    int good = 1, few = (count == 1 || count == 2) && !is_set(row, Row_many);
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
            value = PyObject_Vectorcall(SLOT(door->row, Row_ufunc), operands, door->count, NULL);
    }
    Py_XDECREF(operands[0]);
    Py_XDECREF(operands[1]);
    return value;
}

/* An error of a kernel is raised as one that says of which operation, and on what. */
static void explain(PyObject *row, PyObject *inputs)
{
    PyObject *kind, *error, *traceback;
    if (!inputs || !PyErr_ExceptionMatches(PyExc_Exception))
        return; /* an interrupt is none */
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

/* The result of a door on tensors; NULL without an error in the middle of another call. */
static PyObject *computed(Door *door, PyObject *const inputs[2], PyObject *quiet)
{
    if (PyContext_Enter(quiet) < 0) {
        PyErr_Clear();
        return NULL;
    }
    PyObject *value = called(door, SLOT(inputs[0], Tensor__array), inputs[1] ? SLOT(inputs[1], Tensor__array) : NULL);
    if (!value) {
        PyObject *given = inputs[1] ? PyTuple_Pack(2, inputs[0], inputs[1]) : PyTuple_Pack(1, inputs[0]);
        explain(door->row, given);
        Py_XDECREF(given);
    }
    if (PyContext_Exit(quiet) < 0)
        Py_CLEAR(value);
    return value ? wrap(value) : NULL;
}

/* The dtype of what a tensor or a variable holds, if the door takes it. */
static PyObject *dtype_taken(Door *door, PyObject *operand)
{
    if ((!IS_A(operand, Tensor) && !IS_A(operand, Variable)) || !SLOT(operand, Tensor__array))
        return NULL;
    PyObject *dtype = dtype_of(SLOT(operand, Tensor__array));
    return is_taken(door, dtype) ? dtype : NULL;
}

/* dispatch._is_large_by_rows; NULL is a number. */
static int is_large_by_rows(PyObject *const arrays[2])
{
    Array *a = (Array *)arrays[0], *b = (Array *)arrays[1];
    if (!a || !b || !IS_ARRAY(a) || !IS_ARRAY(b) || !a->nd || !b->nd)
        return 0;
    Py_ssize_t size = 1, last = 0;
    int alike = a->flags & b->flags & CONTIGUOUS && a->nd == b->nd;
    for (int i = 1; i <= a->nd || i <= b->nd; i++) {
        Py_ssize_t m = i <= a->nd ? a->dimensions[a->nd - i] : 1;
        Py_ssize_t n = i <= b->nd ? b->dimensions[b->nd - i] : 1, longer = m > n ? m : n;
        alike = alike && m == n;
        last = last ? last : longer;
        size *= longer;
    }
    return !alike && size >= PyLong_AsSsize_t(last > 1 && last < PyLong_AsSsize_t(NARROW) ? LARGE : LARGE_PAIR);
}

/* dispatch._has_many_rows */
static int has_many_rows(PyObject *x)
{
    Array *array = (Array *)x;
    Py_ssize_t last = IS_ARRAY(array) && array->nd > 1 ? array->dimensions[array->nd - 1] : 0;
    return last > 1 && last < PyLong_AsSsize_t(NARROW) && size_of(x) >= PyLong_AsSsize_t(MANY_ROWS) * last;
}

/* Whether these are numbers of two bytes, and many; NULL is a number. -1 with an error. */
static int are_many_halves(PyObject *const *arrays, Py_ssize_t count, Py_ssize_t most)
{
    if (most < PyLong_AsSsize_t(LARGE_HALF))
        return 0;
    PyObject *dtype = dtype_of(arrays[0] || count < 2 ? arrays[0] : arrays[1]);
    PyObject *found = dtype ? PyObject_CallOneArg(is_half, dtype) : Py_NewRef(Py_False);
    Py_XDECREF(found);
    return found ? found == Py_True : -1;
}

/* Whether a row's function for large arrays is asked: of what NumPy computes of two in one pass, for larger ones.
   NULL is a number. -1 with an error. */
static int is_large(PyObject *row, PyObject *const *arrays, Py_ssize_t count)
{
    int pair = count == 2 && SLOT(row, Row_ufunc) != Py_None;
    Py_ssize_t most = 0;
    for (int i = 0; SLOT(row, Row_large) != Py_None && i <= pair && i < count; i++) {
        Py_ssize_t size = arrays[i] ? size_of(arrays[i]) : 1;
        if (size < 0)
            return -1;
        most = size > most ? size : most;
    }
    int halves = are_many_halves(arrays, count, most);
    if (halves)
        return halves;
    int wide = pair && most && dtype_of(arrays[0] ? arrays[0] : arrays[1]) == float64;
    return most >= PyLong_AsSsize_t(SLOT(row, Row_large_from)) >> wide || (pair && most && is_large_by_rows(arrays))
           || (SLOT(row, Row_by_rows) == Py_True && most && has_many_rows(arrays[0]));
}

/* Whether the arguments are values of one dtype that the door takes, or a number beside one, and small. */
static int are_plain(Door *door, PyObject *x, PyObject *y)
{
    PyObject *values[2] = {x, y}, *arrays[2], *dtype = NULL;
    for (Py_ssize_t i = 0; i < door->count; i++) {
        PyObject *taken = dtype_taken(door, values[i]);
        if (taken ? dtype && taken != dtype : door->count == 1 || !IS_NUMBER(values[i]))
            return 0;
        dtype = taken ? taken : dtype;
        arrays[i] = taken ? SLOT(values[i], Tensor__array) : NULL;
    }
    return dtype && !is_large(door->row, arrays, door->count);
}

/* An operand as a tensor: a number of the dtype of the other one, a variable's value, which recorders
   hear of. NULL without an error where a number does not become one. */
static PyObject *as_tensor(PyObject *operand, PyObject *other, PyObject *quiet)
{
    if (IS_A(operand, Variable))
        return PyObject_CallMethodNoArgs(operand, text_read_value);
    if (IS_A(operand, Tensor))
        return Py_NewRef(operand);
    PyObject *tensor = NULL;
    if (PyContext_Enter(quiet) == 0) {
        tensor = number_like(operand, dtype_of(SLOT(other, Tensor__array)));
        if (!tensor && PyErr_ExceptionMatches(PyExc_Exception))
            PyErr_Clear();
        if (PyContext_Exit(quiet) < 0)
            Py_CLEAR(tensor);
    } else
        PyErr_Clear();
    return tensor;
}

/* The result where all is plain; NULL without an error where it is not. */
static PyObject *through(Door *door, PyObject *x, PyObject *y)
{
    PyObject *given[2] = {x, y}, *inputs[2] = {NULL, NULL}, *result = NULL;
    PyObject *context = are_plain(door, x, y) ? current_context() : NULL;
    if (!context || SLOT(context, Context_listeners) == Py_None)
        return NULL;
    PyObject *listeners = Py_NewRef(SLOT(context, Context_listeners)), *quiet = SLOT(context, Context_quiet_context);
    int good = 1, first = y && IS_NUMBER(y); /* which may not become a tensor: before a variable is read */
    for (Py_ssize_t i = 0; good && i < door->count; i++) {
        Py_ssize_t at = i ^ first;
        inputs[at] = as_tensor(given[at], given[!at], quiet);
        good = inputs[at] && IS_TENSOR(inputs[at]); /* and no error, where it is something else */
    }
    if (good)
        result = computed(door, inputs, quiet);
    if (result && PyTuple_GET_SIZE(listeners)
        && tell(listeners, door->row, NULL, inputs, door->count, NO_ATTRS, result) < 0)
        Py_CLEAR(result);
    Py_DECREF(listeners);
    Py_XDECREF(inputs[0]);
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
    PyObject *row, *takes, *otherwise = Py_None;
    Py_ssize_t count;
    int swapped = 0;
    if (!PyArg_ParseTuple(args, "O!O!n|Op", (PyTypeObject *)Row, &row, &PyTuple_Type, &takes, &count,
                          &otherwise, &swapped))
        return NULL;
    if (count < 1 || count > 2)
        return PyErr_Format(PyExc_TypeError, "a door is for one or two inputs");
    Door *door = (Door *)class->tp_alloc(class, 0);
    if (!door)
        return NULL;
    door->call = door_call;
    door->row = Py_NewRef(row);
    door->takes = Py_NewRef(takes);
    door->otherwise = Py_NewRef(otherwise);
    door->count = count;
    door->swapped = swapped;
    static const binaryfunc OPERATORS[] = {
        PyNumber_Add, PyNumber_Subtract, PyNumber_Multiply, PyNumber_TrueDivide};
    PyObject *place = PyDict_GetItem(operators, SLOT(row, Row_ufunc));
    door->of_scalars = place ? OPERATORS[PyLong_AsLong(place) & 3] : NULL;
    return (PyObject *)door;
}

static void door_dealloc(PyObject *self)
{
    Door *door = (Door *)self;
    Py_DECREF(door->row);
    Py_DECREF(door->takes);
    Py_DECREF(door->otherwise);
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
        return PyTuple_Pack(2, door->row, door->takes);
    return PyObject_GetAttr(door->otherwise, name);
}

static PyTypeObject DoorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "wengert.core._machine.Door",
    .tp_doc = "Door(row, takes, count, otherwise=None, swapped=False)",
    .tp_basicsize = sizeof(Door),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = door_new,
    .tp_dealloc = door_dealloc,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Door, call),
    .tp_descr_get = door_get,
    .tp_getattro = door_getattro,
};

/* ---- apply ------------------------------------------------------------------------------------- */

/* Call a function with the floating-point errors off, as fp_errors.quietly does. */
static PyObject *quietly(PyObject *function, PyObject *const *args, Py_ssize_t count, PyObject *named)
{
    PyObject *own = PyContext_CopyCurrent(), *value = NULL;
    if (own && PyContext_Enter(own) == 0) {
        PyObject *token = PyContextVar_Set(quiet_variable, QUIET);
        value = token ? PyObject_VectorcallDict(function, args, count, named) : NULL;
        Py_XDECREF(token);
        if (PyContext_Exit(own) < 0)
            Py_CLEAR(value);
    }
    Py_XDECREF(own);
    return value;
}

/* What the kernel computes of the values in inputs. */
static PyObject *of_kernel(PyObject *row, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs)
{
    PyObject *arrays[MOST + 1] = {numpy}, *value = NULL; /* the namespace comes first */
    PyObject *ufunc = SLOT(row, Row_ufunc), *named = PyDict_GET_SIZE(attrs) ? attrs : NULL;
    Py_ssize_t got = 0;
    while (got < count && (arrays[got + 1] = array_of(inputs[got])))
        got++;
    int large = got == count ? is_large(row, arrays + 1, count) : -1;
    if (large > 0) {
        PyObject *list = PyList_New(count);
        for (Py_ssize_t i = 0; list && i < count; i++)
            PyList_SET_ITEM(list, i, Py_NewRef(arrays[i + 1]));
        value = list ? PyObject_CallFunctionObjArgs(of_large, row, list, attrs, NULL) : NULL;
        Py_XDECREF(list);
    } else if (!large)
        value = ufunc != Py_None ? quietly(ufunc, arrays + 1, count, named)
                                 : quietly(SLOT(row, Row_kernel), arrays, count + 1, named);
    while (got)
        Py_DECREF(arrays[got--]);
    return value;
}

/* dispatch.apply, of which the name is by position here. */
static PyObject *apply(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *context = current_context(), *attrs = nargs > 2 ? args[2] : NO_ATTRS;
    if (!context)
        return NULL;
    if (nargs < 2 || nargs > 4 || !PyObject_TypeCheck(args[0], (PyTypeObject *)Row)
        || !PyDict_Check(attrs))
        return PyErr_Format(PyExc_TypeError, "apply takes a row, its inputs, attributes and a name");
    PyObject *row = args[0], *inputs = args[1];
    if (SLOT(context, Context_listeners) == Py_None)
        return PyObject_CallMethodObjArgs(SLOT(context, Context_interpreter), text_apply, row, inputs,
                                          attrs, nargs > 3 ? args[3] : Py_None, NULL);
    PyObject *sequence = PySequence_Fast(inputs, "inputs are a sequence");
    if (!sequence)
        return NULL;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    if (count > MOST) {
        Py_DECREF(sequence);
        return PyObject_Vectorcall(apply_in_python, args, nargs, NULL);
    }
    PyObject *listeners = Py_NewRef(SLOT(context, Context_listeners));
    PyObject *result = of_kernel(row, PySequence_Fast_ITEMS(sequence), count, attrs);
    if (!result)
        explain(row, sequence);
    if (result && (is_set(row, Row_many) || PyBytes_CheckExact(result)))
        Py_SETREF(result, PyObject_CallFunctionObjArgs(as_result, row, result, NULL));
    else if (result)
        result = wrap(result);
    if (result && PyTuple_GET_SIZE(listeners)
        && tell(listeners, row, inputs, PySequence_Fast_ITEMS(sequence), count, attrs, result) < 0)
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
    if (SLOT(row, Row_add_part) != Py_None) { /* then there may be no need for the rule */
        PyObject *done = PyObject_CallFunctionObjArgs(added, row, attrs, args[0], cotangents, key, NULL);
        Py_XDECREF(done);
        if (done != Py_False)
            return done ? 0 : -1;
    }
    PyObject *rules = SLOT(row, Row_vjp);
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
    int sums = IS_A(pulled, IndexedSlices) ? 0 : is_set(row, Row_sums_back);
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
    if (is_set(row, Row_many))
        return PyObject_CallFunctionObjArgs(take_several, cotangents, out, y, found, wanted, row, NULL);
    PyObject *g = PyDict_GetItemWithError(cotangents, out);
    if (!g)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    Py_INCREF(g);
    int is_wanted = inner ? holds(wanted, out) : 0;
    if (is_wanted < 0 || PyDict_DelItem(cotangents, out) < 0
        || (is_wanted && PyDict_SetItem(found, out, g) < 0))
        Py_CLEAR(g);
    if (g && IS_A(g, IndexedSlices) && !is_set(row, Row_passes_slices))
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
        if (SLOT(row, Row_vjp) != Py_None && record[3] != MANY)
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
    PyObject *context = current_context();
    if (!context)
        return NULL;
    if (nargs != 6 || !PyList_CheckExact(args[0]) || !PyDict_CheckExact(args[2])
        || SLOT(context, Context_building) != Py_None)
        return PyObject_Vectorcall(sweep_in_python, args, nargs, NULL);
    PyObject *records = args[0], *cotangents = args[2], *needed = args[3], *wanted = args[4];
    int drain = PyObject_IsTrue(args[1]), inner = PyObject_IsTrue(args[5]);
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

/* Where a slot lies in the objects of a class; -1 with an error. */
static Py_ssize_t place_of(PyObject *class, const char *name)
{
    PyObject *slot = PyObject_GetAttrString(class, name);
    Py_ssize_t place = slot && IS_A(slot, &PyMemberDescr_Type)
        ? ((PyMemberDescrObject *)slot)->d_member->offset : -1;
    if (slot && place < 0)
        PyErr_Format(PyExc_TypeError, "%s is no slot", name);
    Py_XDECREF(slot);
    return place;
}

/* Bind names of Python's half. */
static PyObject *setup(PyObject *module, PyObject *args, PyObject *names)
{
#define BIND(name) \
    if (names && PyDict_GetItemString(names, #name)) \
        Py_XSETREF(name, Py_NewRef(PyDict_GetItemString(names, #name)));
    NAMES(BIND)
    Py_RETURN_NONE;
}

/* Find the slots, when the classes are bound. */
static PyObject *find_slots(PyObject *module, PyObject *nothing)
{
#define FIND(class, slot) \
    if ((class##_##slot = place_of(class, #slot)) < 0) \
        return NULL;
    SLOTS(FIND)
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
                           && array->descr == dtype && array->flags & CONTIGUOUS);
}

static PyMethodDef METHODS[] = {
    {"apply", (PyCFunction)(void (*)(void))apply, METH_FASTCALL, NULL},
    {"sweep", (PyCFunction)(void (*)(void))sweep, METH_FASTCALL, NULL},
    {"context", context, METH_O, NULL},
    {"find_slots", find_slots, METH_NOARGS, NULL},
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
#define INTERN(name) \
    if (!(text_##name = PyUnicode_InternFromString(#name))) \
        return NULL;
    TEXTS(INTERN)
    if (!(no_index = PyTuple_New(0)) || PyType_Ready(&DoorType) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&MODULE);
    if (module && (PyModule_AddObjectRef(module, "Door", (PyObject *)&DoorType) < 0
                   || PyModule_AddStringConstant(module, "SOURCE", SOURCE) < 0))
        Py_CLEAR(module);
    return module;
}
