/* The paths of the machine that every eager operation takes, in C.

   Each is the twin of Python beside it, which says what it does and why: the door and `apply` of
   dispatch.py, `Tape.record` of tape.py, `sweep` of reverse.py. What is rare is left to the Python,
   so that a rule of the machine stands in one place: a path here begins only where the values are
   plain, and gives up before it has done anything. compiled.py loads it.

   It needs GCC or Clang, for variables that give their references back (OWN). */

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
    _(no_index)                  /* () */ \
    _(ONE) _(MANY) _(NO_ATTRS)   /* marks of a record, and of a call */ \
    _(quiet_variable) _(QUIET) _(bound) \
    _(LARGE) _(LARGE_HALF) _(SOME) _(NARROW) /* numbers of elements */ \
    _(is_large_in_python) _(of_large) _(as_result) _(failed) /* dispatch.py */ \
    _(sweep_in_python) _(take_several) _(pull_in_general) _(added) /* reverse.py */

/* The slots of Python's classes, whose places in an object are found out. */
#define SLOTS(_) \
    _(Tensor, _array) _(Tensor, _key) _(Tape, records) _(Tape, positions) \
    _(Context, listeners) _(Context, building) _(Context, interpreter) _(Context, quiet_context) \
    _(Row, kernel) _(Row, ufunc) _(Row, large) _(Row, large_from) _(Row, by_rows) _(Row, many) \
    _(Row, differentiable) _(Row, saves_x) _(Row, saves_y) _(Row, vjp) _(Row, add_part) _(Row, sums_back) \
    _(Row, passes_slices)

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

/* The width of a record; a flag of NumPy's. */
enum { WIDTH = 8, CONTIGUOUS = 1 };

/* ---- references -------------------------------------------------------------------------------- */

/* A variable declared with OWN gives its reference back where its scope ends. Functions return new
   references and borrow what they are given. */
#define OWN __attribute__((cleanup(give_back))) PyObject

static void give_back(PyObject **reference)
{
    Py_XDECREF(*reference);
}

/* 0 where a call succeeded, whose result is of no use; -1 with an error. Takes the reference. */
static int went_well(PyObject *done)
{
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* One or two objects as a tuple. */
static PyObject *packed(PyObject *const *objects, Py_ssize_t count)
{
    return count == 1 ? PyTuple_Pack(1, objects[0]) : PyTuple_Pack(2, objects[0], objects[1]);
}

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
    Py_ssize_t *dimensions, *strides;
    PyObject *base, *descr;
    int flags;
} Array;

/* The dtype of an array or of a NumPy scalar, borrowed; NULL without an error for anything else. */
static PyObject *dtype_of(PyObject *value)
{
    return IS_ARRAY(value) ? ((Array *)value)->descr : PyDict_GetItem(scalar_dtypes, (PyObject *)Py_TYPE(value));
}

/* The number of elements; NULL is a number. -1 with an error. */
static Py_ssize_t size_of(PyObject *value)
{
    if (value && IS_ARRAY(value)) {
        Py_ssize_t size = 1;
        for (int i = 0; i < ((Array *)value)->nd; i++)
            size *= ((Array *)value)->dimensions[i];
        return size;
    }
    if (!value || dtype_of(value))
        return 1;
    OWN *found = PyObject_GetAttr(value, text_size);
    return found ? PyNumber_AsSsize_t(found, PyExc_OverflowError) : -1;
}

/* The array in a tensor or a variable. */
static PyObject *array_of(PyObject *value)
{
    return IS_TENSOR(value) ? Py_NewRef(SLOT(value, Tensor__array)) : PyObject_GetAttr(value, text__array);
}

/* The key by which tapes know a value; None if it has none yet. */
static PyObject *key_of(PyObject *value)
{
    int is_there = IS_A(value, Tensor) && SLOT(value, Tensor__key);
    return is_there ? Py_NewRef(SLOT(value, Tensor__key)) : PyObject_GetAttr(value, text__key);
}

/* The shape of a tensor, or of what stands for one in a record: its shape alone. */
static PyObject *shape_of(PyObject *value)
{
    if (PyTuple_CheckExact(value))
        return Py_NewRef(value);
    OWN *array = array_of(value);
    return array ? PyObject_GetAttr(array, text_shape) : NULL;
}

/* Whether two arrays have the same shape. */
static int are_alike(const Array *a, const Array *b)
{
    return a->nd == b->nd && !memcmp(a->dimensions, b->dimensions, a->nd * sizeof *a->dimensions);
}

/* Whether two values have the same shape, of which the second may be a shape; -1 with an error. */
static int same_shape(PyObject *value, PyObject *other)
{
    if (IS_TENSOR(value) && IS_TENSOR(other)) {
        PyObject *a = SLOT(value, Tensor__array), *b = SLOT(other, Tensor__array);
        if (IS_ARRAY(a) && IS_ARRAY(b))
            return are_alike((Array *)a, (Array *)b);
    }
    OWN *shape = shape_of(value), *wanted = shape ? shape_of(other) : NULL;
    return wanted ? PyObject_RichCompareBool(shape, wanted, Py_EQ) : -1;
}

/* A tensor around an array. */
static PyObject *wrap(PyObject *array)
{
    PyTypeObject *class = (PyTypeObject *)Tensor;
    PyObject *tensor = class->tp_alloc(class, 0);
    if (tensor) {
        SLOT(tensor, Tensor__array) = Py_NewRef(array);
        SLOT(tensor, Tensor__key) = Py_NewRef(Py_None);
    }
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
    OWN *made = PyObject_CallNoArgs(Context);
    if (made && here)
        context = PyDict_SetDefault(here, Context, made); /* which keeps it */
    return context;
}

/* The same for Python, as the function of a property. */
static PyObject *context(PyObject *module, PyObject *thread)
{
    return Py_XNewRef(current_context());
}

/* ---- the tape ---------------------------------------------------------------------------------- */

/* The key of a result, made if it has none. */
static PyObject *new_key_of(PyObject *result)
{
    OWN *key = key_of(result);
    if (key != Py_None)
        return Py_XNewRef(key);
    OWN *made = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    return made && PyObject_SetAttr(result, text__key, made) == 0 ? Py_NewRef(made) : NULL;
}

/* Tape.watch_results for one result; most are truth values, which nothing flows back from. */
static int watch_result(PyObject *tape, PyObject *row, PyObject *result)
{
    OWN *array = array_of(result);
    if (!array || dtype_of(array) == truth)
        return array ? 0 : -1;
    return went_well(PyObject_CallMethodObjArgs(tape, text_watch_results, row, result, NULL));
}

/* Tape.record for one or two inputs and one result. */
static int record(PyObject *tape, PyObject *row, PyObject *const *inputs, Py_ssize_t count,
                  PyObject *attrs, PyObject *result)
{
    PyObject *positions = SLOT(tape, Tape_positions), *records = SLOT(tape, Tape_records);
    PyObject *a = inputs[0], *b = count == 2 ? inputs[1] : Py_None;
    OWN *key_a = key_of(a), *key_b = count == 2 ? key_of(b) : Py_NewRef(ONE);
    int first = key_a ? PyDict_Contains(positions, key_a) : -1;
    int second = key_b ? PyDict_Contains(positions, key_b) : -1;
    if (first < 0 || second < 0)
        return -1;
    if (!first && !second)
        return 0;
    if (!is_set(row, Row_differentiable))
        return watch_result(tape, row, result);
    int saves_x = is_set(row, Row_saves_x), saves_y = is_set(row, Row_saves_y);
    OWN *kept_a = saves_x || !first ? Py_NewRef(a) : shape_of(a); /* enough of what the tape can compute again */
    OWN *kept_b = saves_x || !second ? Py_NewRef(b) : shape_of(b);
    OWN *out = kept_a && kept_b ? new_key_of(result) : NULL;
    OWN *made = out ? PyTuple_Pack(WIDTH, row, attrs, key_a, key_b, kept_a, kept_b, out, saves_y ? result : Py_None) : NULL;
    Py_ssize_t end = PyList_GET_SIZE(records); /* now: finalizers may have recorded something */
    OWN *at = made ? PyLong_FromSsize_t(end) : NULL;
    return at && PyDict_SetItem(positions, out, at) == 0 ? PyList_SetSlice(records, end, end, made) : -1;
}

/* Tell the recorders of an operation, of which `given` holds the inputs. */
static int tell(PyObject *listeners, PyObject *row, PyObject *given, PyObject *attrs, PyObject *result)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(given);
    int few = (count == 1 || count == 2) && !is_set(row, Row_many), good = 1;
    for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(listeners); i++) {
        PyObject *recorder = PyTuple_GET_ITEM(listeners, i);
        if (few && IS_A(recorder, Tape))
            good = record(recorder, row, PySequence_Fast_ITEMS(given), count, attrs, result) == 0;
        else
            good = went_well(PyObject_CallMethodObjArgs(recorder, text_record, row, given, attrs, result, NULL)) == 0;
    }
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
    int takes_floats; /* those of processors, among others */
    PyObject *of_scalars; /* Python's operator, where it gives the same bits for two numbers, or NULL */
} Door;

/* A Python number as a tensor of a dtype; NULL where that is not unambiguous. */
static PyObject *number_like(PyObject *number, PyObject *dtype)
{
    PyObject *maker = PyDict_GetItem(float_makers, dtype);
    if (!maker && PyLong_CheckExact(number))
        maker = PyDict_GetItem(int_makers, dtype);
    OWN *made = maker ? PyObject_CallOneArg(maker, number) : NULL;
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

/* Carry out the function of a door on what one tensor or two hold. */
static PyObject *called(Door *door, PyObject *x, PyObject *y)
{
    OWN *a = as_scalar(SLOT(x, Tensor__array)), *b = y ? as_scalar(SLOT(y, Tensor__array)) : NULL;
    if (!a || (y && !b))
        return NULL;
    int numbers = door->of_scalars && !IS_ARRAY(a) && !IS_ARRAY(b) && is_float(dtype_of(a));
    PyObject *operands[2] = {a, b}, *function = numbers ? door->of_scalars : SLOT(door->row, Row_ufunc);
    return PyObject_Vectorcall(function, operands, door->count, NULL);
}

/* An error of a kernel is raised as one that says of which operation, and on what. */
static void explain(PyObject *row, PyObject *inputs)
{
    OWN *kind = NULL, *error = NULL, *traceback = NULL;
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return; /* an interrupt is none */
    PyErr_Fetch(&kind, &error, &traceback);
    PyErr_NormalizeException(&kind, &error, &traceback);
    PyException_SetTraceback(error, traceback ? traceback : Py_None);
    went_well(PyObject_CallFunctionObjArgs(failed, row, inputs, error, NULL)); /* never */
}

/* The number of elements of two arrays together, where NumPy may go through them row by row, or 0; NULL is a number. */
static Py_ssize_t size_by_rows(PyObject *const arrays[2])
{
    Array *a = (Array *)arrays[0], *b = (Array *)arrays[1];
    if (!a || !b || !IS_ARRAY(a) || !IS_ARRAY(b) || (are_alike(a, b) && a->flags & b->flags & CONTIGUOUS))
        return 0;
    Py_ssize_t size = 1;
    for (int i = 1; i <= a->nd || i <= b->nd; i++) {
        Py_ssize_t m = i <= a->nd ? a->dimensions[a->nd - i] : 1;
        Py_ssize_t n = i <= b->nd ? b->dimensions[b->nd - i] : 1;
        size *= m > n ? m : n;
    }
    return size;
}

/* dispatch.is_large, which is asked where the sizes alone do not say; NULL is a number. -1 with an error. */
static int is_large(PyObject *row, PyObject *const *arrays, Py_ssize_t count)
{
    if (SLOT(row, Row_large) == Py_None || !count)
        return 0;
    int pair = count == 2 && SLOT(row, Row_ufunc) != Py_None;
    Py_ssize_t m = size_of(arrays[0]), n = pair ? size_of(arrays[1]) : 0, most = m > n ? m : n;
    if (m < 0 || n < 0)
        return -1;
    PyObject *dtype = dtype_of(arrays[0] ? arrays[0] : arrays[1]);
    if (most >= PyLong_AsSsize_t(SLOT(row, Row_large_from)) >> (pair && dtype == float64))
        return 1;
    int halves = most >= PyLong_AsSsize_t(LARGE_HALF) && !is_float(dtype);
    Array *x = (Array *)arrays[0];
    int rows = SLOT(row, Row_by_rows) == Py_True && most >= PyLong_AsSsize_t(SOME) && IS_ARRAY(x) && x->nd
        && x->dimensions[x->nd - 1] < PyLong_AsSsize_t(NARROW);
    if (!halves && !rows && !(pair && size_by_rows(arrays) >= PyLong_AsSsize_t(LARGE)))
        return 0;
    OWN *both = packed(arrays + !arrays[0], pair && arrays[0] && arrays[1] ? 2 : 1);
    OWN *found = both ? PyObject_CallFunctionObjArgs(is_large_in_python, row, both, NULL) : NULL;
    return found ? found == Py_True : -1;
}

/* Whether the arguments are values of one dtype that the door takes, or a number beside one, and small. */
static int are_plain(Door *door, PyObject *const given[2])
{
    PyObject *arrays[2], *dtype = NULL;
    for (Py_ssize_t i = 0; i < door->count; i++) {
        int holds = IS_A(given[i], Tensor) || IS_A(given[i], Variable);
        arrays[i] = holds ? SLOT(given[i], Tensor__array) : NULL;
        PyObject *found = arrays[i] ? dtype_of(arrays[i]) : NULL;
        if (found ? dtype && found != dtype : holds || !IS_NUMBER(given[i]))
            return 0;
        dtype = found ? found : dtype;
    }
    int is_taken = door->takes_floats && is_float(dtype) ? 1 : dtype && PySet_Contains(door->takes, dtype) > 0;
    return is_taken && !is_large(door->row, arrays, door->count);
}

/* Enter the context in which NumPy is quiet; 0 without an error in the middle of another call. */
static int entered(PyObject *quiet)
{
    if (PyContext_Enter(quiet) == 0)
        return 1;
    PyErr_Clear();
    return 0;
}

/* An operand as a tensor: a number of the dtype of the other one, a variable's value, which recorders
   hear of. NULL without an error where a number does not become one. */
static PyObject *as_tensor(PyObject *operand, PyObject *other, PyObject *quiet)
{
    if (IS_A(operand, Variable))
        return PyObject_CallMethodNoArgs(operand, text_read_value);
    if (IS_A(operand, Tensor))
        return Py_NewRef(operand);
    if (!entered(quiet))
        return NULL;
    OWN *tensor = number_like(operand, dtype_of(SLOT(other, Tensor__array)));
    if (!tensor && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return PyContext_Exit(quiet) == 0 ? Py_XNewRef(tensor) : NULL;
}

/* The result where all is plain; NULL without an error where it is not. */
static PyObject *through(Door *door, PyObject *const given[2])
{
    PyObject *context = are_plain(door, given) ? current_context() : NULL;
    if (!context || SLOT(context, Context_listeners) == Py_None)
        return NULL;
    OWN *listeners = Py_NewRef(SLOT(context, Context_listeners));
    PyObject *quiet = SLOT(context, Context_quiet_context);
    int two = door->count == 2;
    int first = two && IS_NUMBER(given[1]); /* which may not become a tensor: before a variable is read */
    OWN *one = as_tensor(given[first], given[!first], quiet);
    if (!one || !IS_TENSOR(one)) /* without an error, where it is something else */
        return NULL;
    OWN *other = two ? as_tensor(given[!first], given[first], quiet) : NULL;
    if ((two && (!other || !IS_TENSOR(other))) || !entered(quiet))
        return NULL;
    PyObject *inputs[2] = {first ? other : one, first ? one : other};
    OWN *value = called(door, inputs[0], inputs[1]);
    OWN *told = value && !PyTuple_GET_SIZE(listeners) ? NULL : packed(inputs, door->count);
    if (!value && told)
        explain(door->row, told);
    OWN *result = PyContext_Exit(quiet) == 0 && value ? wrap(value) : NULL;
    if (result && told && tell(listeners, door->row, told, NO_ATTRS, result) < 0)
        return NULL;
    return Py_XNewRef(result);
}

static PyObject *door_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    Door *door = (Door *)callable;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    if (!names && count == door->count) {
        PyObject *given[2] = {args[door->swapped], args[count == 2 && !door->swapped]};
        PyObject *result = through(door, given);
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
    if (!PyArg_ParseTuple(args, "O!O!n|Op", (PyTypeObject *)Row, &row, &PyFrozenSet_Type, &takes, &count,
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
    door->takes_floats = PySet_Contains(takes, float32) > 0 && PySet_Contains(takes, float64) > 0;
    door->of_scalars = PyDict_GetItem(operators, SLOT(row, Row_ufunc));
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
    OWN *own = PyContext_CopyCurrent();
    if (!own || PyContext_Enter(own) < 0)
        return NULL;
    OWN *token = PyContextVar_Set(quiet_variable, QUIET);
    OWN *value = token ? PyObject_VectorcallDict(function, args, count, named) : NULL;
    return PyContext_Exit(own) == 0 ? Py_XNewRef(value) : NULL;
}

/* What the kernel computes of the values in inputs. */
static PyObject *of_kernel(PyObject *row, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs)
{
    PyObject *ufunc = SLOT(row, Row_ufunc), *named = PyDict_GET_SIZE(attrs) ? attrs : NULL;
    OWN *list = PyList_New(count + 1); /* the namespace comes first */
    for (Py_ssize_t i = 0; list && i <= count; i++) {
        PyObject *array = i ? array_of(inputs[i - 1]) : Py_NewRef(numpy);
        if (!array)
            return NULL;
        PyList_SET_ITEM(list, i, array);
    }
    PyObject *const *arrays = list ? PySequence_Fast_ITEMS(list) : NULL;
    int large = list ? is_large(row, arrays + 1, count) : -1;
    if (large < 0)
        return NULL;
    if (!large)
        return ufunc != Py_None ? quietly(ufunc, arrays + 1, count, named)
                                : quietly(SLOT(row, Row_kernel), arrays, count + 1, named);
    OWN *without = PyList_GetSlice(list, 1, count + 1);
    return without ? PyObject_CallFunctionObjArgs(of_large, row, without, attrs, NULL) : NULL;
}

/* dispatch.apply, of which the name is by position here. */
static PyObject *apply(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *context = current_context(), *attrs = nargs > 2 ? args[2] : NO_ATTRS;
    if (!context)
        return NULL;
    if (nargs < 2 || nargs > 4 || !PyObject_TypeCheck(args[0], (PyTypeObject *)Row) || !PyDict_Check(attrs))
        return PyErr_Format(PyExc_TypeError, "apply takes a row, its inputs, attributes and a name");
    PyObject *row = args[0], *inputs = args[1];
    if (SLOT(context, Context_listeners) == Py_None)
        return PyObject_CallMethodObjArgs(SLOT(context, Context_interpreter), text_apply, row, inputs,
                                          attrs, nargs > 3 ? args[3] : Py_None, NULL);
    OWN *sequence = PySequence_Fast(inputs, "inputs are a sequence");
    if (!sequence)
        return NULL;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    OWN *listeners = Py_NewRef(SLOT(context, Context_listeners));
    OWN *value = of_kernel(row, PySequence_Fast_ITEMS(sequence), count, attrs);
    if (!value) {
        explain(row, sequence);
        return NULL;
    }
    OWN *result = is_set(row, Row_many) || PyBytes_CheckExact(value)
        ? PyObject_CallFunctionObjArgs(as_result, row, value, NULL) : wrap(value);
    return result && tell(listeners, row, sequence, attrs, result) == 0 ? Py_NewRef(result) : NULL;
}

/* ---- the sweep --------------------------------------------------------------------------------- */

/* Add to the cotangent of a key. */
static int accumulate(PyObject *cotangents, PyObject *key, PyObject *pulled)
{
    OWN *before = Py_XNewRef(PyDict_GetItemWithError(cotangents, key));
    if (!before)
        return PyErr_Occurred() ? -1 : PyDict_SetItem(cotangents, key, pulled);
    OWN *sum = PyObject_CallMethodObjArgs(bound, text_add, before, pulled, NULL);
    return sum ? PyDict_SetItem(cotangents, key, sum) : -1;
}

/* Call the rule of one input, and add what it gives; `args` are the cotangent, the result, the inputs. */
static int pull(PyObject *row, Py_ssize_t at, PyObject *const *args, Py_ssize_t count,
                PyObject *attrs, PyObject *key, PyObject *cotangents)
{
    if (SLOT(row, Row_add_part) != Py_None) { /* then there may be no need for the rule */
        OWN *done = PyObject_CallFunctionObjArgs(added, row, attrs, args[0], cotangents, key, NULL);
        if (done != Py_False)
            return done ? 0 : -1;
    }
    OWN *rule = PySequence_GetItem(SLOT(row, Row_vjp), at);
    if (!rule || rule == Py_None)
        return rule ? 0 : -1;
    OWN *pulled = PyObject_VectorcallDict(rule, args, count + 2, PyDict_GET_SIZE(attrs) ? attrs : NULL);
    if (!pulled || pulled == Py_None)
        return pulled ? 0 : -1;
    int same = IS_A(pulled, IndexedSlices) || !is_set(row, Row_sums_back) ? 1 : same_shape(pulled, args[at + 2]);
    if (same)
        return same < 0 ? -1 : accumulate(cotangents, key, pulled);
    OWN *shape = shape_of(args[at + 2]); /* the input was broadcast */
    OWN *sum = shape ? PyObject_CallMethodObjArgs(bound, text_sum_to, pulled, shape, NULL) : NULL;
    return sum ? accumulate(cotangents, key, sum) : -1;
}

/* The cotangent of a record's result, taken from the cotangents; None without an error: there is none. */
static PyObject *taken(PyObject *row, PyObject *out, PyObject *y, PyObject *cotangents,
                       PyObject *found, PyObject *wanted, int inner)
{
    if (is_set(row, Row_many))
        return PyObject_CallFunctionObjArgs(take_several, cotangents, out, y, found, wanted, row, NULL);
    OWN *g = Py_XNewRef(PyDict_GetItemWithError(cotangents, out));
    if (!g)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    int is_wanted = inner ? PySequence_Contains(wanted, out) : 0;
    if (is_wanted < 0 || PyDict_DelItem(cotangents, out) < 0 || (is_wanted && PyDict_SetItem(found, out, g) < 0))
        return NULL;
    if (IS_A(g, IndexedSlices) && !is_set(row, Row_passes_slices))
        return PyObject_CallMethodObjArgs(bound, text_to_dense, g, NULL);
    return Py_NewRef(g);
}

/* Pull the cotangent of one record back to its inputs. */
static int pull_record(PyObject *const record[WIDTH], PyObject *cotangents, PyObject *found,
                       PyObject *needed, PyObject *wanted, int inner)
{
    PyObject *row = record[0];
    OWN *g = taken(row, record[6], record[7], cotangents, found, wanted, inner);
    if (!g || g == Py_None)
        return g ? 0 : -1;
    if (SLOT(row, Row_vjp) == Py_None || record[3] == MANY)
        return went_well(PyObject_CallFunctionObjArgs(pull_in_general, row, record[1], record[2], record[3], record[4],
                                                      record[5], record[7], g, cotangents, needed, NULL));
    PyObject *args[] = {g, record[7], record[4], record[5]};
    Py_ssize_t count = record[3] == ONE ? 1 : 2;
    for (Py_ssize_t i = 0; i < count; i++) {
        int is_needed = PySequence_Contains(needed, record[2 + i]);
        if (is_needed < 0 || (is_needed && pull(row, i, args, count, record[1], record[2 + i], cotangents) < 0))
            return -1;
    }
    return 0;
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
    OWN *found = PyDict_New();
    for (Py_ssize_t at = PyList_GET_SIZE(records) - WIDTH; found && at >= 0; at -= WIDTH) {
        if (at + WIDTH > PyList_GET_SIZE(records))
            return PyErr_Format(PyExc_RuntimeError, "the records changed while they were swept");
        OWN *record = PyTuple_New(WIDTH);
        for (int i = 0; record && i < WIDTH; i++)
            PyTuple_SET_ITEM(record, i, Py_NewRef(PyList_GET_ITEM(records, at + i)));
        if (!record || (drain && PyList_SetSlice(records, at, at + WIDTH, NULL) < 0))
            return NULL;
        if (!PyObject_TypeCheck(PyTuple_GET_ITEM(record, 0), (PyTypeObject *)Row))
            return PyErr_Format(PyExc_TypeError, "a record begins with a row");
        if (pull_record(PySequence_Fast_ITEMS(record), cotangents, found, needed, wanted, inner) < 0)
            return NULL;
    }
    PyObject *key, *g;
    Py_ssize_t place = 0;
    while (found && PyDict_Next(cotangents, &place, &key, &g)) {
        int left = PySequence_Contains(wanted, key), there = PyDict_Contains(found, key);
        if (left < 0 || there < 0 || (left && !there && PyDict_SetItem(found, key, g) < 0))
            return NULL;
    }
    return Py_XNewRef(found);
}

/* ---- the module -------------------------------------------------------------------------------- */

/* Where a slot lies in the objects of a class; -1 with an error. */
static Py_ssize_t place_of(PyObject *class, const char *name)
{
    OWN *slot = PyObject_GetAttrString(class, name);
    Py_ssize_t place = slot && IS_A(slot, &PyMemberDescr_Type) ? ((PyMemberDescrObject *)slot)->d_member->offset : -1;
    if (slot && place < 0)
        PyErr_Format(PyExc_TypeError, "%s is no slot", name);
    return place;
}

/* Bind names of Python's half, and find the slots of the classes among them. */
static PyObject *setup(PyObject *module, PyObject *args, PyObject *names)
{
#define BIND(name) \
    if (names && PyDict_GetItemString(names, #name)) \
        Py_XSETREF(name, Py_NewRef(PyDict_GetItemString(names, #name)));
#define FIND(class, slot) \
    if (class && (class##_##slot = place_of(class, #slot)) < 0) \
        return NULL;
    NAMES(BIND)
    SLOTS(FIND)
    Py_RETURN_NONE;
}

/* Whether an array of shape (3, 5) is what this file takes it for. */
static PyObject *knows(PyObject *module, PyObject *sample)
{
    Array *array = (Array *)sample;
    OWN *dtype = PyObject_GetAttr(sample, text_dtype);
    if (!dtype)
        return NULL;
    return PyBool_FromLong(array->nd == 2 && array->dimensions[0] == 3 && array->dimensions[1] == 5
                           && array->descr == dtype && array->flags & CONTIGUOUS);
}

static PyMethodDef METHODS[] = {
    {"apply", (PyCFunction)(void (*)(void))apply, METH_FASTCALL, NULL},
    {"sweep", (PyCFunction)(void (*)(void))sweep, METH_FASTCALL, NULL},
    {"context", context, METH_O, NULL},
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
    PyObject *module = PyModule_Create(&MODULE);
    if (module && (PyModule_AddType(module, &DoorType) < 0
                   || PyModule_AddStringConstant(module, "SOURCE", SOURCE) < 0))
        Py_CLEAR(module);
    return module;
}
