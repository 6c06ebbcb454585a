"""LLVM IR of the memory of arrays: freed blocks are kept, and are the next arrays'.

These functions stand between NumPy and its own allocation functions. They are machine code because
arrays are freed by any thread, with and without the GIL, and when Python is gone already. Whoever
finds the lock taken goes to the C library instead of waiting: a lock that was held during a fork does
no harm.

The cache is a block of memory of numbers, by name in `FIELDS`, and then of the blocks that are
kept, from the oldest to the latest: address, size, and the hour at which it was given back. The
hour is counted by a thread that runs as long as anything is kept, and frees what is older than
that.

Other blocks than small ones begin where a vector of 64 bytes may: one that lies across two lines of
the cache is read as two. The C library's begin 16 to 64 bytes before, and the word before ours is where.
Before a block of the GNU C library's own is its size, and that is no address nearby: so a block tells by
itself whose it is, and nothing needs to be known of blocks in use. With other allocators blocks begin where
those say. (aligned_alloc would leave gaps of a few bytes, which pin the memory around them: 3,000 arrays,
each longer than the one before, took 2 GB.)
"""

from __future__ import annotations

import platform
import re
from typing import Final

from wengert.engines.native.runtime.runtime_ir import PAUSE

FIELDS: Final = (
    "lock",
    "limit",  # bytes that may be kept
    "kept",  # bytes that are
    "count",  # of blocks
    "hour",
    "watched",  # whether the thread runs
    "reused",  # how often a block was
    "least",  # bytes of a block that is kept
    "seconds",  # of an hour
    # The functions of NumPy's own handler.
    "context",
    "malloc",
    "calloc",
    "realloc",
    "free",
)
MOST: Final = 256  # blocks
VECTOR: Final = 64  # bytes
ALIGNED: Final = 1 << 14  # bytes of a block that begins where a vector may
BYTES: Final = 8 * (len(FIELDS) + 3 * MOST)
_SPINS: Final = 1000

_TEXT: Final = """
declare void DECLARED
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
declare i64 @malloc_usable_size(ptr)
declare void @free(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @sleep(i32)

; Where the C library's block begins.
define internal ptr @whole(ptr %memory) nounwind {
entry:
  %address = ptrtoint ptr %memory to i64
  %low = and i64 %address, PAST
  %may = icmp eq i64 %low, PLACE
  %some = icmp ne i64 %address, 0
  %look = and i1 %may, %some
  br i1 %look, label %before, label %plain
before:
  %wordp = getelementptr i8, ptr %memory, i64 -8
  %word = load i64, ptr %wordp
  %apart = sub i64 %address, %word
  %less = sub i64 %apart, 16
  %near = icmp ule i64 %less, 48
  %begin = inttoptr i64 %word to ptr
  br i1 %near, label %ours, label %plain
ours:
  ret ptr %begin
plain:
  ret ptr %memory
}

; How many bytes a block has.
define internal i64 @size_of(ptr %memory) nounwind {
  %begin = call ptr @whole(ptr %memory)
  %all = call i64 @malloc_usable_size(ptr %begin)
  %from = ptrtoint ptr %begin to i64
  %to = ptrtoint ptr %memory to i64
  %before = sub i64 %to, %from
  %size = sub i64 %all, %before
  ret i64 %size
}

define internal void @let_go(ptr %memory) nounwind {
  %begin = call ptr @whole(ptr %memory)
  call void @free(ptr %begin)
  ret void
}

; The first place for a vector in a block with room for one more.
define internal ptr @placed(ptr %block) nounwind {
entry:
  %good = icmp ne ptr %block, null
  br i1 %good, label %place, label %none
place:
  %from = ptrtoint ptr %block to i64
  %beyond = add i64 %from, VECTOR
  %to = and i64 %beyond, VECTORS
  %memory = inttoptr i64 %to to ptr
  %wordp = getelementptr i8, ptr %memory, i64 -8
  store i64 %from, ptr %wordp
  ret ptr %memory
none:
  ret ptr null
}

define internal i1 @locked(ptr %cache) nounwind {
entry:
  br label %try
try:
  %i = phi i64 [ 0, %entry ], [ %i.next, %again ]
  %pair = cmpxchg ptr %cache, i64 0, i64 1 acquire monotonic, align 8
  %mine = extractvalue { i64, i1 } %pair, 1
  br i1 %mine, label %done, label %again
again:
  call void PAUSE
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, SPINS
  br i1 %more, label %try, label %done
done:
  ret i1 %mine
}

define internal void @unlock(ptr %cache) nounwind {
  store atomic i64 0, ptr %cache release, align 8
  ret void
}

define internal ptr @block(ptr %cache, i64 %at) alwaysinline nounwind {
  %first = getelementptr i64, ptr %cache, i64 FIELDS
  %words = mul i64 %at, 3
  %found = getelementptr i64, ptr %first, i64 %words
  ret ptr %found
}

; Take a block out of the list, whose order stays the same.
define internal ptr @removed(ptr %cache, i64 %at) nounwind {
  %entry = call ptr @block(ptr %cache, i64 %at)
  %memory = load ptr, ptr %entry
  %sizep = getelementptr i64, ptr %entry, i64 1
  %size = load i64, ptr %sizep
  %kept = load i64, ptr KEPT
  %less = sub i64 %kept, %size
  store i64 %less, ptr KEPT
  %count = load i64, ptr COUNT
  %fewer = sub i64 %count, 1
  store i64 %fewer, ptr COUNT
  %next = getelementptr i64, ptr %entry, i64 3
  %after = sub i64 %fewer, %at
  %bytes = mul i64 %after, 24
  call void @llvm.memmove.p0.p0.i64(ptr %entry, ptr %next, i64 %bytes, i1 false)
  ret ptr %memory
}

; The smallest block for so many bytes of which a fifth at most is wasted, the latest of several.
define internal ptr @reused(ptr %cache, i64 %size) nounwind {
entry:
  %least = load i64, ptr LEAST
  %large = icmp uge i64 %size, %least
  br i1 %large, label %ask, label %none
ask:
  %mine = call i1 @locked(ptr %cache)
  br i1 %mine, label %search, label %none
search:
  %count = load i64, ptr COUNT
  %quarter = lshr i64 %size, 2
  %most = add i64 %size, %quarter
  br label %loop
loop:
  %i = phi i64 [ 0, %search ], [ %i.next, %look ]
  %best = phi i64 [ -1, %search ], [ %best.next, %look ]
  %bound = phi i64 [ %most, %search ], [ %bound.next, %look ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %found
look:
  %here = call ptr @block(ptr %cache, i64 %i)
  %sizep = getelementptr i64, ptr %here, i64 1
  %have = load i64, ptr %sizep
  %enough = icmp uge i64 %have, %size
  %closer = icmp ule i64 %have, %bound
  %better = and i1 %enough, %closer
  %best.next = select i1 %better, i64 %i, i64 %best
  %bound.next = select i1 %better, i64 %have, i64 %bound
  %i.next = add i64 %i, 1
  br label %loop
found:
  %any = icmp sge i64 %best, 0
  br i1 %any, label %take, label %nothing
take:
  %memory = call ptr @removed(ptr %cache, i64 %best)
  %times = load i64, ptr REUSED
  %once = add i64 %times, 1
  store i64 %once, ptr REUSED
  call void @unlock(ptr %cache)
  ret ptr %memory
nothing:
  call void @unlock(ptr %cache)
  br label %none
none:
  ret ptr null
}

; Free the blocks that were given back up to some hour; how many bytes.
define i64 @release(ptr %cache, i64 %hour) nounwind {
entry:
  br label %ask
ask:
  %freed = phi i64 [ 0, %entry ], [ %sum, %take ]
  %mine = call i1 @locked(ptr %cache)
  br i1 %mine, label %look, label %done
look:
  %count = load i64, ptr COUNT
  %some = icmp ne i64 %count, 0
  br i1 %some, label %oldest, label %end
oldest:
  %entry0 = call ptr @block(ptr %cache, i64 0)
  %sizep = getelementptr i64, ptr %entry0, i64 1
  %size = load i64, ptr %sizep
  %hourp = getelementptr i64, ptr %entry0, i64 2
  %since = load i64, ptr %hourp
  %old = icmp ule i64 %since, %hour
  br i1 %old, label %take, label %end
take:
  %memory = call ptr @removed(ptr %cache, i64 0)
  call void @unlock(ptr %cache)
  call void @let_go(ptr %memory)
  %sum = add i64 %freed, %size
  br label %ask
end:
  call void @unlock(ptr %cache)
  br label %done
done:
  ret i64 %freed
}

; The thread: it ends when nothing is kept any more.
define internal ptr @watch(ptr %cache) nounwind {
entry:
  br label %hour
hour:
  %seconds = load i64, ptr SECONDS
  %short = trunc i64 %seconds to i32
  %left = call i32 @sleep(i32 %short)
  %before = atomicrmw add ptr HOUR, i64 1 monotonic, align 8
  %old = sub i64 %before, 1
  %bytes = call i64 @release(ptr %cache, i64 %old)
  %mine = call i1 @locked(ptr %cache)
  br i1 %mine, label %look, label %hour
look:
  %count = load i64, ptr COUNT
  %empty = icmp eq i64 %count, 0
  br i1 %empty, label %end, label %stay
stay:
  call void @unlock(ptr %cache)
  br label %hour
end:
  store i64 0, ptr WATCHED
  call void @unlock(ptr %cache)
  ret ptr null
}

; Called with the lock, which it gives back.
define internal void @unlock_watched(ptr %cache) nounwind {
entry:
  %thread = alloca i64
  %watched = load i64, ptr WATCHED
  store i64 1, ptr WATCHED
  call void @unlock(ptr %cache)
  %there = icmp ne i64 %watched, 0
  br i1 %there, label %done, label %start
start:
  %error = call i32 @pthread_create(ptr %thread, ptr null, ptr @watch, ptr %cache)
  %good = icmp eq i32 %error, 0
  br i1 %good, label %detach, label %failed
detach:
  %id = load i64, ptr %thread
  %detached = call i32 @pthread_detach(i64 %id)
  br label %done
failed:
  store atomic i64 0, ptr WATCHED release, align 8
  br label %done
done:
  ret void
}

; Keep a block, if need be instead of the oldest; a block that is kept already stays so, once.
define internal void @keep(ptr %cache, ptr %memory) nounwind {
entry:
  %size = call i64 @size_of(ptr %memory)
  br label %ask
ask:
  %mine = call i1 @locked(ptr %cache)
  br i1 %mine, label %check, label %let.go
check:
  %limit = load i64, ptr LIMIT
  %fits = icmp ule i64 %size, %limit
  %count = load i64, ptr COUNT
  br i1 %fits, label %loop, label %too.large
too.large:
  call void @unlock(ptr %cache)
  br label %let.go
let.go:
  call void @let_go(ptr %memory)
  ret void
loop:
  %i = phi i64 [ 0, %check ], [ %i.next, %other ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %room
look:
  %here = call ptr @block(ptr %cache, i64 %i)
  %known = load ptr, ptr %here
  %same = icmp eq ptr %known, %memory
  br i1 %same, label %there, label %other
other:
  %i.next = add i64 %i, 1
  br label %loop
there:
  call void @unlock(ptr %cache)
  ret void
room:
  %kept = load i64, ptr KEPT
  %sum = add i64 %kept, %size
  %over = icmp ugt i64 %sum, %limit
  %full = icmp uge i64 %count, MOST
  %must = or i1 %over, %full
  br i1 %must, label %replace, label %put
replace:
  %oldest = call ptr @removed(ptr %cache, i64 0)
  call void @unlock(ptr %cache)
  call void @let_go(ptr %oldest)
  br label %ask
put:
  %entryp = call ptr @block(ptr %cache, i64 %count)
  store ptr %memory, ptr %entryp
  %sizep = getelementptr i64, ptr %entryp, i64 1
  store i64 %size, ptr %sizep
  %hour = load atomic i64, ptr HOUR monotonic, align 8
  %hourp = getelementptr i64, ptr %entryp, i64 2
  store i64 %hour, ptr %hourp
  store i64 %sum, ptr KEPT
  %larger = add i64 %count, 1
  store i64 %larger, ptr COUNT
  call void @unlock_watched(ptr %cache)
  ret void
}

NEW_BLOCKS
; ---- the functions of NumPy's handler: where there is no memory, what is kept is freed first ------

define ptr @take(ptr %cache, i64 %size) nounwind {
entry:
  %kept = call ptr @reused(ptr %cache, i64 %size)
  %some = icmp ne ptr %kept, null
  br i1 %some, label %done, label %ask
ask:
  %first = call ptr @made(ptr %cache, i64 %size)
  %good = icmp ne ptr %first, null
  br i1 %good, label %done, label %again
again:
  %freed = call i64 @release(ptr %cache, i64 -1)
  %second = call ptr @made(ptr %cache, i64 %size)
  br label %done
done:
  %found = phi ptr [ %kept, %entry ], [ %first, %ask ], [ %second, %again ]
  ret ptr %found
}

define ptr @take_zeros(ptr %cache, i64 %count, i64 %each) nounwind {
entry:
  %product = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %count, i64 %each)
  %size = extractvalue { i64, i1 } %product, 0
  %over = extractvalue { i64, i1 } %product, 1
  br i1 %over, label %none, label %search
search:
  %kept = call ptr @reused(ptr %cache, i64 %size)
  %some = icmp ne ptr %kept, null
  br i1 %some, label %clear, label %ask
clear:
  call void @llvm.memset.p0.i64(ptr %kept, i8 0, i64 %size, i1 false)
  br label %done
ask:
  %first = call ptr @made_of_zeros(ptr %cache, i64 %count, i64 %each, i64 %size)
  %good = icmp ne ptr %first, null
  br i1 %good, label %done, label %again
again:
  %freed = call i64 @release(ptr %cache, i64 -1)
  %second = call ptr @made_of_zeros(ptr %cache, i64 %count, i64 %each, i64 %size)
  br label %done
done:
  %found = phi ptr [ %kept, %clear ], [ %first, %ask ], [ %second, %again ]
  ret ptr %found
none:
  ret ptr null
}

; A block that does not begin where the C library's does moves.
define ptr @resize(ptr %cache, ptr %memory, i64 %size) nounwind {
entry:
  %begin = call ptr @whole(ptr %memory)
  %theirs = icmp eq ptr %begin, %memory
  br i1 %theirs, label %ask, label %move
move:
  %other = call ptr @take(ptr %cache, i64 %size)
  %there = icmp ne ptr %other, null
  br i1 %there, label %copy, label %done
copy:
  %have = call i64 @size_of(ptr %memory)
  %both = call i64 @llvm.umin.i64(i64 %have, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %memory, i64 %both, i1 false)
  call void @give(ptr %cache, ptr %memory, i64 %have)
  br label %done
ask:
  %context = load ptr, ptr CONTEXT
  %realloc = load ptr, ptr REALLOC
  %first = call ptr %realloc(ptr %context, ptr %memory, i64 %size)
  %good = icmp ne ptr %first, null
  br i1 %good, label %done, label %again
again:
  %freed = call i64 @release(ptr %cache, i64 -1)
  %second = call ptr %realloc(ptr %context, ptr %memory, i64 %size)
  br label %done
done:
  %found = phi ptr [ %other, %move ], [ %other, %copy ], [ %first, %ask ], [ %second, %again ]
  ret ptr %found
}

define void @give(ptr %cache, ptr %memory, i64 %size) nounwind {
entry:
  %least = load i64, ptr LEAST
  %large = icmp uge i64 %size, %least
  br i1 %large, label %kept, label %small
kept:
  call void @keep(ptr %cache, ptr %memory)
  ret void
small:
  %begin = call ptr @whole(ptr %memory)
  %context = load ptr, ptr CONTEXT
  %free = load ptr, ptr FREE
  call void %free(ptr %context, ptr %begin, i64 %size)
  ret void
}
"""


# A new block, of an allocation function of NumPy's own.
_NEW_BLOCK: Final = """
define internal ptr @NAME(ptr %cache, GIVEN) nounwind {
entry:
  %context = load ptr, ptr CONTEXT
  %allocate = load ptr, ptr FUNCTION
  %enough = icmp uge i64 %size, FEWEST
  br i1 %enough, label %wide, label %plain
wide:
  %more = add i64 %size, VECTOR
  %block = call ptr %allocate(ptr %context, LARGER)
  %memory = call ptr @placed(ptr %block)
  ret ptr %memory
plain:
  %found = call ptr %allocate(ptr %context, ASKED)
  ret ptr %found
}
"""


def _new_block(name: str, function: str, given: str, larger: str, asked: str) -> str:
    found = _NEW_BLOCK.replace("NAME", name).replace("FUNCTION", function)
    return found.replace("GIVEN", given).replace("LARGER", larger).replace("ASKED", asked)


def text(aligned: bool) -> str:
    """The functions above as LLVM IR for this machine; whether blocks begin where vectors may."""
    declared, pause = PAUSE[platform.machine()]
    zeros = "i64 %count, i64 %each"
    blocks = [
        _new_block("made", "MALLOC", "i64 %size", "i64 %more", "i64 %size"),
        _new_block("made_of_zeros", "CALLOC", f"{zeros}, i64 %size", "i64 1, i64 %more", zeros),
    ]
    found = _TEXT.replace("NEW_BLOCKS", "".join(blocks))
    found = found.replace("DECLARED", declared).replace("PAUSE", pause)
    found = found.replace("SPINS", str(_SPINS)).replace("MOST", str(MOST))
    # Of so many bytes, or at such a place, none is.
    fewest, place = (ALIGNED, 0) if aligned else (-1, -1)
    found = found.replace("FEWEST", str(fewest)).replace("PLACE", str(place))
    found = found.replace("PAST", str(VECTOR - 1))
    found = found.replace("VECTORS", str(-VECTOR)).replace("VECTOR", str(VECTOR))
    return _with_places(found.replace("i64 FIELDS", f"i64 {len(FIELDS)}"))


def _with_places(ir: str) -> str:
    """The IR with the address of each field that is named in capitals, as `ptr KEPT` is."""
    lines: list[str] = []
    for line in ir.split("\n"):
        named = re.search(r"ptr ([A-Z]+)", line)
        if named is not None:
            place = f"%place.{len(lines)}"
            field = FIELDS.index(named[1].lower())
            lines.append(f"  {place} = getelementptr i64, ptr %cache, i64 {field}")
            line = line.replace(named[0], f"ptr {place}")
        lines.append(line)
    return "\n".join(lines)
