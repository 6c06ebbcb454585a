"""LLVM IR of the runtime: the steps of a plan, the threads, and calls of BLAS.

It is written in LLVM IR because no other compiler is available. A plan is a table of numbers; a
step is

    function, parts, arrays, pace, then for each array a slot and an offset in bytes

The function is called as function(arrays, part) for each part, by whichever thread is free. Small
parts are taken several at a time: how many is in the number of parts, above `TOGETHER` bits. The
slots are the addresses of the arrays that are passed to the plan; with slot -1 the offset is an
absolute address.

The pool is a block of memory: a ticket (which job, and how many of its shares of parts the caller and
the others have claimed), the job, the number of finished shares, a futex on which idle threads
sleep, and the number of threads that are wanted, a futex on which surplus threads sleep. A share is
claimed by a compare-and-swap of the ticket, which fails if there is another job by now. The ticket is
closed before a new job is written. The caller begins with the first half and the others with the second,
so that the next step finds most of what it reads in the cache of the core that wrote it.

The pace of a step is how long one of its shares took when that was measured, in nanoseconds; it is
measured whenever the step has several. Two things depend on it. A job that takes less than `_SMALL`
is not posted: what the threads' caches have to exchange takes longer. And to wake a thread costs the
caller some 10 microseconds, and the thread comes some 40 later; so sleeping ones are woken only for
what takes longer than `_WAKE`: the rest of a job, or that and the jobs right before it (without a
pause of `_IDLE`) that the caller carried out alone.
"""

from __future__ import annotations

import platform
from typing import Final

# The size of a pool's memory, in bytes.
POOL_BYTES: Final = 256
# Times in nanoseconds: see above. The pause is about as long as idle threads stay awake.
_SMALL: Final = 10_000
_WAKE: Final = 60_000
_IDLE: Final = 100_000
# How a ticket counts a claim of the caller and of the others, and the most shares that it can count.
_CALLER, _OTHERS, _SHARES = 1 << 16, 1, (1 << 16) - 2
# The bits of a number of parts, above which is how many of them are taken together.
TOGETHER: Final = 40

# The pause instruction of a spin loop: its declaration, and its call.
PAUSE: Final = {
    "x86_64": ("@llvm.x86.sse2.pause()", "@llvm.x86.sse2.pause()"),
    "aarch64": ("@llvm.aarch64.hint(i32)", "@llvm.aarch64.hint(i32 1)"),
}
_FUTEX: Final = {"x86_64": 202, "aarch64": 98}  # the system call's number, on Linux

_THREADS: Final = """
declare i64 @syscall(i64, ...)
declare i32 @sched_yield()
declare i32 @clock_gettime(i32, ptr)
declare i64 @llvm.umax.i64(i64, i64)
declare void DECLARED

define internal void @rest() alwaysinline nounwind {
  call void PAUSE
  ret void
}

; The time in nanoseconds.
define internal i64 @now() nounwind {
  %time = alloca { i64, i64 }, align 8
  %got = call i32 @clock_gettime(i32 1, ptr %time)
  %restp = getelementptr i8, ptr %time, i64 8
  %seconds = load i64, ptr %time
  %rest = load i64, ptr %restp
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %rest
  ret i64 %sum
}

; Claim and carry out shares until there are none, or some have been. True if there was one. The caller's are those of the
; first half, upwards, the others' those of the second; who is done with a half goes on with the other one, from its end.
define internal i1 @help(ptr %pool, i64 %side, i64 %some) nounwind {
entry:
  %is.caller = icmp eq i64 %side, CALLER
  %fnp = getelementptr i8, ptr %pool, i64 64
  %argp = getelementptr i8, ptr %pool, i64 72
  %countp = getelementptr i8, ptr %pool, i64 80
  %eachp = getelementptr i8, ptr %pool, i64 88
  %allp = getelementptr i8, ptr %pool, i64 96
  %donep = getelementptr i8, ptr %pool, i64 128
  br label %look
look:
  %had = phi i64 [ 0, %entry ], [ %had, %lost ], [ %more, %won ]
  %ticket = load atomic i64, ptr %pool acquire, align 8
  %fn = load atomic ptr, ptr %fnp monotonic, align 8
  %arg = load atomic ptr, ptr %argp monotonic, align 8
  %count = load atomic i64, ptr %countp monotonic, align 8
  %each = load atomic i64, ptr %eachp monotonic, align 8
  %all = load atomic i64, ptr %allp monotonic, align 8
  %taken = and i64 %ticket, 4294967295
  %callers = lshr i64 %taken, 16
  %others = and i64 %taken, 65535
  %gone = add i64 %callers, %others
  %open = icmp ult i64 %gone, %count
  br i1 %open, label %claim, label %out
claim:
  %next = add i64 %ticket, %side
  %pair = cmpxchg ptr %pool, i64 %ticket, i64 %next acq_rel acquire, align 8
  %mine = extractvalue { i64, i1 } %pair, 1
  br i1 %mine, label %won, label %lost
lost:
  br label %look
won:
  %half = lshr i64 %count, 1
  %rest = sub i64 %count, %half
  %nth = select i1 %is.caller, i64 %callers, i64 %others
  %own = select i1 %is.caller, i64 %half, i64 %rest
  %first = select i1 %is.caller, i64 0, i64 %half
  %ahead = add i64 %first, %nth
  %edge = select i1 %is.caller, i64 %count, i64 %half
  %over = sub i64 %nth, %own
  %left = sub i64 %edge, %over
  %last = sub i64 %left, 1
  %within = icmp ult i64 %nth, %own
  %share = select i1 %within, i64 %ahead, i64 %last
  %begin = mul i64 %share, %each
  %beyond = add i64 %begin, %each
  %short = icmp ugt i64 %beyond, %all
  %stop = select i1 %short, i64 %all, i64 %beyond
  call void @some(ptr %fn, ptr %arg, i64 %begin, i64 %stop)
  %before = atomicrmw add ptr %donep, i64 1 acq_rel, align 8
  %more = add i64 %had, 1
  %enough = icmp eq i64 %more, %some
  br i1 %enough, label %full, label %look
full:
  ret i1 true
out:
  %any = icmp ne i64 %had, 0
  ret i1 %any
}

; What a thread of the pool does: help, and sleep when there is nothing to do for a while, or as long
; as fewer threads are wanted than there are.
define ptr @worker(ptr %pool) nounwind {
entry:
  %wordp = getelementptr i8, ptr %pool, i64 192
  %sleepersp = getelementptr i8, ptr %pool, i64 200
  %threadsp = getelementptr i8, ptr %pool, i64 216
  %bornp = getelementptr i8, ptr %pool, i64 224
  %number = atomicrmw add ptr %bornp, i64 1 monotonic, align 8
  br label %work
work:
  %wanted = load atomic i64, ptr %threadsp acquire, align 8
  %one.of.them = icmp ult i64 %number, %wanted
  br i1 %one.of.them, label %use, label %park
park:
  %wanted32 = trunc i64 %wanted to i32
  %p = call i64 (i64, ...) @syscall(i64 FUTEX, ptr %threadsp, i64 128, i32 %wanted32, ptr null, ptr null, i64 0)
  br label %work
use:
  %did = call i1 @help(ptr %pool, i64 OTHERS, i64 -1)
  br label %spin
spin:
  %spins = phi i64 [ 0, %use ], [ %more, %again ]
  %word = load atomic i32, ptr %wordp acquire, align 4
  %found = call i1 @help(ptr %pool, i64 OTHERS, i64 -1)
  br i1 %found, label %work, label %idle
idle:
  call void @rest()
  %more = add i64 %spins, 1
  %tired = icmp ugt i64 %more, SPINS
  br i1 %tired, label %sleep, label %again
again:
  br label %spin
sleep:
  %s = atomicrmw add ptr %sleepersp, i32 1 seq_cst, align 4
  %last = call i1 @help(ptr %pool, i64 OTHERS, i64 -1)
  br i1 %last, label %awake, label %wait
wait:
  %w = call i64 (i64, ...) @syscall(i64 FUTEX, ptr %wordp, i64 128, i32 %word, ptr null, ptr null, i64 0)
  br label %awake
awake:
  %t = atomicrmw sub ptr %sleepersp, i32 1 seq_cst, align 4
  br label %work
}

; The number of threads that are wanted is another.
define void @resized(ptr %pool) nounwind {
  %threadsp = getelementptr i8, ptr %pool, i64 216
  %k = call i64 (i64, ...) @syscall(i64 FUTEX, ptr %threadsp, i64 129, i32 2147483647, ptr null, ptr null, i64 0)
  ret void
}

; Wake the threads that sleep because there is nothing to do.
define internal void @wake(ptr %pool) nounwind {
  %wordp = getelementptr i8, ptr %pool, i64 192
  %k = call i64 (i64, ...) @syscall(i64 FUTEX, ptr %wordp, i64 129, i32 2147483647, ptr null, ptr null, i64 0)
  ret void
}

; Remember how long each of some shares took that were begun at a time. Gives that, which is not 0.
define internal i64 @note(ptr %pace, i64 %from, i64 %shares) nounwind {
  %to = call i64 @now()
  %all = sub i64 %to, %from
  %exact = udiv i64 %all, %shares
  %took = or i64 %exact, 1
  store atomic i64 %took, ptr %pace monotonic, align 8
  ret i64 %took
}

; Begin a job that was posted: carry out a share, measure it, and wake threads if that is worth it.
; %others is how many more shares there are, and %lacking whether threads for them are asleep.
define internal void @begin(ptr %pool, ptr %pace, i64 %others, i1 %lacking) nounwind {
entry:
  %alonep = getelementptr i8, ptr %pool, i64 232
  %lastp = getelementptr i8, ptr %pool, i64 240
  br i1 %lacking, label %recall, label %first
recall:
  %from = call i64 @now()
  %last = load i64, ptr %lastp
  %alone.then = load i64, ptr %alonep
  %gap = sub i64 %from, %last
  %paused = icmp ugt i64 %gap, IDLE_TIME
  %alone = select i1 %paused, i64 0, i64 %alone.then
  %known = load atomic i64, ptr %pace monotonic, align 8
  %new = icmp eq i64 %known, 0
  %expected = mul i64 %known, %others
  %sum = add i64 %expected, %alone
  %much = icmp ugt i64 %sum, WAKE_TIME
  %worth = or i1 %new, %much
  br i1 %worth, label %rouse, label %first
rouse:
  call void @wake(ptr %pool)
  store i64 0, ptr %alonep
  br label %first
first:
  %before = phi i64 [ 0, %entry ], [ 0, %rouse ], [ %alone, %recall ]
  %settled = phi i1 [ true, %entry ], [ true, %rouse ], [ false, %recall ]
  %start = call i64 @now()
  %mine = call i1 @help(ptr %pool, i64 CALLER, i64 1)
  br i1 %mine, label %measure, label %done
measure:
  %took = call i64 @note(ptr %pace, i64 %start, i64 1)
  br i1 %settled, label %done, label %compare
compare:
  %left = mul i64 %took, %others
  %whole = add i64 %left, %took
  %until = add i64 %start, %whole
  %alone.now = add i64 %before, %whole
  store i64 %alone.now, ptr %alonep
  store i64 %until, ptr %lastp
  %slower = icmp ugt i64 %left, WAKE_TIME
  br i1 %slower, label %rouse.late, label %done
rouse.late:
  call void @wake(ptr %pool)
  br label %done
done:
  ret void
}

; Carry out all parts of a job, with the threads of the pool unless somebody else has them or it is
; small.
define void @parallel(ptr %pool, ptr %fn, ptr %arg, i64 %parts, ptr %pace) nounwind {
entry:
  %number = and i64 %parts, NUMBER
  %together = lshr i64 %parts, TOGETHER
  %alone = icmp eq i64 %together, 0
  %asked = select i1 %alone, i64 1, i64 %together
  %many = udiv i64 %number, SHARES
  %fewest = add i64 %many, 1
  %each = call i64 @llvm.umax.i64(i64 %asked, i64 %fewest)
  %less = sub i64 %each, 1
  %over = add i64 %number, %less
  %count = udiv i64 %over, %each
  %busyp = getelementptr i8, ptr %pool, i64 208
  %threadsp = getelementptr i8, ptr %pool, i64 216
  %one = icmp ule i64 %count, 1
  br i1 %one, label %serial, label %several
several:
  %threads = load atomic i64, ptr %threadsp monotonic, align 8
  %lonely = icmp eq i64 %threads, 0
  br i1 %lonely, label %serial, label %recall
recall:
  %known = load atomic i64, ptr %pace monotonic, align 8
  %expected = mul i64 %known, %count
  %less.one = sub i64 %expected, 1
  %small = icmp ult i64 %less.one, SMALL_TIME
  br i1 %small, label %timed, label %try
timed:
  %start = call i64 @now()
  call void @some(ptr %fn, ptr %arg, i64 0, i64 %number)
  %took = call i64 @note(ptr %pace, i64 %start, i64 %count)
  ret void
try:
  %pair = cmpxchg ptr %busyp, i32 0, i32 1 acq_rel acquire, align 4
  %free = extractvalue { i32, i1 } %pair, 1
  br i1 %free, label %post, label %serial
serial:
  call void @some(ptr %fn, ptr %arg, i64 0, i64 %number)
  ret void
post:
  %fnp = getelementptr i8, ptr %pool, i64 64
  %argp = getelementptr i8, ptr %pool, i64 72
  %countp = getelementptr i8, ptr %pool, i64 80
  %eachp = getelementptr i8, ptr %pool, i64 88
  %allp = getelementptr i8, ptr %pool, i64 96
  %donep = getelementptr i8, ptr %pool, i64 128
  %wordp = getelementptr i8, ptr %pool, i64 192
  %sleepersp = getelementptr i8, ptr %pool, i64 200
  %old = load atomic i64, ptr %pool monotonic, align 8
  %closed = or i64 %old, 4294967295
  store atomic i64 %closed, ptr %pool seq_cst, align 8
  store atomic ptr %fn, ptr %fnp release, align 8
  store atomic ptr %arg, ptr %argp release, align 8
  store atomic i64 %count, ptr %countp release, align 8
  store atomic i64 %each, ptr %eachp release, align 8
  store atomic i64 %number, ptr %allp release, align 8
  store atomic i64 0, ptr %donep release, align 8
  %fresh = add i64 %closed, 1
  store atomic i64 %fresh, ptr %pool seq_cst, align 8
  %w = atomicrmw add ptr %wordp, i32 1 seq_cst, align 4
  %asleep32 = load atomic i32, ptr %sleepersp seq_cst, align 4
  %asleep = zext i32 %asleep32 to i64
  %awake = sub i64 %threads, %asleep
  %others = sub i64 %count, 1
  %few = icmp slt i64 %awake, %others
  %some = icmp ne i64 %asleep, 0
  %lacking = and i1 %some, %few
  call void @begin(ptr %pool, ptr %pace, i64 %others, i1 %lacking)
  %h = call i1 @help(ptr %pool, i64 CALLER, i64 -1)
  br label %wait
wait:
  %turns = phi i64 [ 0, %post ], [ %turn, %still ]
  %done = load atomic i64, ptr %donep acquire, align 8
  %all = icmp eq i64 %done, %count
  br i1 %all, label %finish, label %still.not
still.not:
  call void @rest()
  %turn = add i64 %turns, 1
  %long = and i64 %turn, 4095
  %yield = icmp eq i64 %long, 0
  br i1 %yield, label %give.way, label %still
give.way:
  %y = call i32 @sched_yield()
  br label %still
still:
  br label %wait
finish:
  store atomic i32 0, ptr %busyp release, align 4
  ret void
}
"""

# Without a futex there are no threads: the caller runs all parts itself.
_NO_THREADS: Final = """
define void @parallel(ptr %pool, ptr %fn, ptr %arg, i64 %parts, ptr %pace) nounwind {
  %number = and i64 %parts, NUMBER
  call void @some(ptr %fn, ptr %arg, i64 0, i64 %number)
  ret void
}
"""

_TEXT: Final = """
define internal void @some(ptr %fn, ptr %arg, i64 %begin, i64 %end) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  call void %fn(ptr %arg, i64 %i)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The steps of a plan. %places has room for the arrays of one step. A step without a function looks
; at a truth value, and ends the plan if it is true. Gives 1 in that case, and 0 otherwise.
define i64 @steps(ptr %table, i64 %count, ptr %slots, ptr %places, ptr %pool) nounwind {
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %step
step:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %at = phi ptr [ %table, %entry ], [ %after, %next ]
  %fn = load ptr, ptr %at
  %partsp = getelementptr i64, ptr %at, i64 1
  %parts = load i64, ptr %partsp
  %np = getelementptr i64, ptr %at, i64 2
  %n = load i64, ptr %np
  %pace = getelementptr i64, ptr %at, i64 3
  %first = getelementptr i64, ptr %at, i64 4
  br label %array
array:
  %k = phi i64 [ 0, %step ], [ %k.next, %array ]
  %k2 = shl i64 %k, 1
  %slotp = getelementptr i64, ptr %first, i64 %k2
  %slot = load i64, ptr %slotp
  %bytesp = getelementptr i64, ptr %slotp, i64 1
  %bytes = load i64, ptr %bytesp
  %absolute = icmp slt i64 %slot, 0
  %known = select i1 %absolute, i64 0, i64 %slot
  %basep = getelementptr i64, ptr %slots, i64 %known
  %base = load i64, ptr %basep
  %begin = select i1 %absolute, i64 0, i64 %base
  %address = add i64 %begin, %bytes
  %place = getelementptr i64, ptr %places, i64 %k
  store i64 %address, ptr %place
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %array, label %go
go:
  %check = icmp eq ptr %fn, null
  br i1 %check, label %look, label %call
look:
  %flag = load ptr, ptr %places
  %wrong = load i8, ptr %flag
  %stop = icmp ne i8 %wrong, 0
  br i1 %stop, label %end, label %next
end:
  ret i64 1
call:
  call void @parallel(ptr %pool, ptr %fn, ptr %places, i64 %parts, ptr %pace)
  br label %next
next:
  %n2 = shl i64 %n, 1
  %after = getelementptr i64, ptr %first, i64 %n2
  %i.next = add i64 %i, 1
  %i.more = icmp ult i64 %i.next, %count
  br i1 %i.more, label %step, label %done
done:
  ret i64 0
}

; A plan called by Python, as a built-in function: the arguments are NumPy arrays, whose memory is
; read from their objects. `self` is an array of numbers: arguments, steps, table, pool, whether to
; let go of Python's lock, and addresses of what that takes; room for arrays; what to return: None
; when all is done, False for arrays with gaps, True where something is wrong, an ellipsis where an
; array that would be written over has more references than it may; how many pairs of arguments
; there are whose first is the value of a variable and whose second is written, where they stand, and
; how many references a first that is also the second may have.
define ptr @entry(ptr %self, ptr %args, i64 %count) nounwind {
entry:
  %dp = getelementptr i8, ptr %self, i64 16
  %d = load ptr, ptr %dp
  %wanted = load i64, ptr %d
  %fits = icmp eq i64 %wanted, %count
  br i1 %fits, label %begin, label %refuse
begin:
  %stepsp = getelementptr i64, ptr %d, i64 1
  %steps = load i64, ptr %stepsp
  %tablep = getelementptr i64, ptr %d, i64 2
  %table = load ptr, ptr %tablep
  %poolp = getelementptr i64, ptr %d, i64 3
  %pool = load ptr, ptr %poolp
  %lettingp = getelementptr i64, ptr %d, i64 4
  %letting = load i64, ptr %lettingp
  %roomp = getelementptr i64, ptr %d, i64 7
  %room = load i64, ptr %roomp
  %slots = alloca i64, i64 %count
  %places = alloca i64, i64 %room
  br label %argument
argument:
  %i = phi i64 [ 0, %begin ], [ %i.next, %take ]
  %objp = getelementptr ptr, ptr %args, i64 %i
  %obj = load ptr, ptr %objp
  %flagsp = getelementptr i8, ptr %obj, i64 64
  %flags = load i32, ptr %flagsp
  %both = and i32 %flags, 257
  %plain = icmp eq i32 %both, 257
  br i1 %plain, label %take, label %refuse
take:
  %datap = getelementptr i8, ptr %obj, i64 16
  %data = load i64, ptr %datap
  %slotp = getelementptr i64, ptr %slots, i64 %i
  store i64 %data, ptr %slotp
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %argument, label %shared
shared:
  %pairsp = getelementptr i64, ptr %d, i64 13
  %pairs = load i64, ptr %pairsp
  %listp = getelementptr i64, ptr %d, i64 14
  %list = load ptr, ptr %listp
  %mostp = getelementptr i64, ptr %d, i64 15
  %most = load i64, ptr %mostp
  %most32 = trunc i64 %most to i32
  br label %pair.look
pair.look:
  %p = phi i64 [ 0, %shared ], [ %p.next, %pair.next ]
  %p.some = icmp ult i64 %p, %pairs
  br i1 %p.some, label %pair, label %run
pair:
  %p2 = shl i64 %p, 1
  %oldp = getelementptr i64, ptr %list, i64 %p2
  %old = load i64, ptr %oldp
  %newp = getelementptr i64, ptr %oldp, i64 1
  %new = load i64, ptr %newp
  %old.objp = getelementptr ptr, ptr %args, i64 %old
  %old.obj = load ptr, ptr %old.objp
  %new.objp = getelementptr ptr, ptr %args, i64 %new
  %new.obj = load ptr, ptr %new.objp
  %over = icmp eq ptr %old.obj, %new.obj
  br i1 %over, label %references, label %pair.next
references:
  %references.now = load i32, ptr %old.obj
  %too.many = icmp ugt i32 %references.now, %most32
  br i1 %too.many, label %leave, label %pair.next
pair.next:
  %p.next = add i64 %p, 1
  br label %pair.look
leave:
  %otherp = getelementptr i64, ptr %d, i64 12
  %other = load ptr, ptr %otherp
  br label %return
run:
  %quick = icmp eq i64 %letting, 0
  br i1 %quick, label %quickly, label %slowly
quickly:
  %found.quickly = call i64 @steps(ptr %table, i64 %steps, ptr %slots, ptr %places, ptr %pool)
  br label %finish
slowly:
  %savep = getelementptr i64, ptr %d, i64 5
  %save = load ptr, ptr %savep
  %restorep = getelementptr i64, ptr %d, i64 6
  %restore = load ptr, ptr %restorep
  %state = call ptr %save()
  %found.slowly = call i64 @steps(ptr %table, i64 %steps, ptr %slots, ptr %places, ptr %pool)
  call void %restore(ptr %state)
  br label %finish
finish:
  %found = phi i64 [ %found.quickly, %quickly ], [ %found.slowly, %slowly ]
  %good = icmp eq i64 %found, 0
  %which = select i1 %good, i64 8, i64 11
  %yesp = getelementptr i64, ptr %d, i64 %which
  %yes = load ptr, ptr %yesp
  br label %return
refuse:
  %nop = getelementptr i64, ptr %d, i64 9
  %no = load ptr, ptr %nop
  br label %return
return:
  %result = phi ptr [ %yes, %finish ], [ %no, %refuse ], [ %other, %leave ]
  %holdp = getelementptr i64, ptr %d, i64 10
  %hold = load ptr, ptr %holdp
  call void %hold(ptr %result)
  ret ptr %result
}
"""

# Copy one array to another, unless they are the same.
_COPY: Final = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @copy(ptr %b, i64 %part) nounwind {
  %top = getelementptr ptr, ptr %b, i64 1
  %sp = getelementptr ptr, ptr %b, i64 2
  %from = load ptr, ptr %b
  %to = load ptr, ptr %top
  %settings = load ptr, ptr %sp
  %size = load i64, ptr %settings
  %same = icmp eq ptr %from, %to
  br i1 %same, label %done, label %different
different:
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
  br label %done
done:
  ret void
}
"""

# Write one row of an array: the array, the index of the row, the row, its size in bytes.
_SET_ROW: Final = """
define void @set_row(ptr %b, i64 %part) nounwind {
  %ip = getelementptr ptr, ptr %b, i64 1
  %rp = getelementptr ptr, ptr %b, i64 2
  %sp = getelementptr ptr, ptr %b, i64 3
  %rows = load ptr, ptr %b
  %index = load ptr, ptr %ip
  %row = load ptr, ptr %rp
  %settings = load ptr, ptr %sp
  %size = load i64, ptr %settings
  %at = load i64, ptr %index
  %begin = mul i64 %at, %size
  %to = getelementptr i8, ptr %rows, i64 %begin
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %row, i64 %size, i1 false)
  ret void
}
"""

# A product by BLAS: part p is some rows, or columns, of matrix number p / splits. The fourth array
# holds the address of the BLAS function, the layout of the matrices, and their offsets.
_PRODUCT: Final = """
define void @product_KIND(ptr %b, i64 %part) nounwind {
  %bp = getelementptr ptr, ptr %b, i64 1
  %cp = getelementptr ptr, ptr %b, i64 2
  %dp = getelementptr ptr, ptr %b, i64 3
  %a0 = load ptr, ptr %b
  %b0 = load ptr, ptr %bp
  %c0 = load ptr, ptr %cp
  %d = load ptr, ptr %dp
FIELDS
  %fn = inttoptr i64 %f0 to ptr
  %which = udiv i64 %part, %f11
  %split = urem i64 %part, %f11
  %offsets = inttoptr i64 %f13 to ptr
  %w3 = mul i64 %which, 3
  %oap = getelementptr i64, ptr %offsets, i64 %w3
  %obp = getelementptr i64, ptr %oap, i64 1
  %ocp = getelementptr i64, ptr %oap, i64 2
  %oa = load i64, ptr %oap
  %ob = load i64, ptr %obp
  %oc = load i64, ptr %ocp
  %begin = mul i64 %split, %f12
  %rows = icmp eq i64 %f14, 0
  %m.left = sub i64 %f3, %begin
  %n.left = sub i64 %f4, %begin
  %m.some = call i64 @llvm.umin.i64(i64 %m.left, i64 %f12)
  %n.some = call i64 @llvm.umin.i64(i64 %n.left, i64 %f12)
  %m = select i1 %rows, i64 %m.some, i64 %f3
  %n = select i1 %rows, i64 %f4, i64 %n.some
  %m.begin = select i1 %rows, i64 %begin, i64 0
  %n.begin = select i1 %rows, i64 0, i64 %begin
  %am = mul i64 %m.begin, %f15
  %bn = mul i64 %n.begin, %f16
  %cm = mul i64 %m.begin, %f8
  %ai = add i64 %oa, %am
  %bi = add i64 %ob, %bn
  %c1 = add i64 %oc, %cm
  %ci = add i64 %c1, %n.begin
  %a = getelementptr TYPE, ptr %a0, i64 %ai
  %bb = getelementptr TYPE, ptr %b0, i64 %bi
  %c = getelementptr TYPE, ptr %c0, i64 %ci
  %ta = trunc i64 %f1 to i32
  %tb = trunc i64 %f2 to i32
  %m32 = trunc i64 %m to i32
  %n32 = trunc i64 %n to i32
  %k32 = trunc i64 %f5 to i32
  %lda = trunc i64 %f6 to i32
  %ldb = trunc i64 %f7 to i32
  %ldc = trunc i64 %f8 to i32
  %alpha8 = bitcast i64 %f9 to double
  %beta8 = bitcast i64 %f10 to double
FACTORS
  call void %fn(i32 101, i32 %ta, i32 %tb, i32 %m32, i32 %n32, i32 %k32, TYPE %alpha, ptr %a, i32 %lda, ptr %bb, i32 %ldb, TYPE %beta, ptr %c, i32 %ldc)
  ret void
}
"""


def has_threads() -> bool:
    """Whether threads are supported here: whether idle ones can sleep on a futex."""
    return platform.system() == "Linux" and platform.machine() in _FUTEX


def text() -> str:
    """The functions above as LLVM IR for this machine."""
    machine = platform.machine()
    threads = _NO_THREADS
    if has_threads():
        declared, pause = PAUSE[machine]
        threads = _THREADS.replace("DECLARED", declared).replace("PAUSE", pause)
        threads = threads.replace("SPINS", "4000").replace("FUTEX", str(_FUTEX[machine]))
        threads = threads.replace("WAKE_TIME", str(_WAKE)).replace("IDLE_TIME", str(_IDLE))
        threads = threads.replace("SMALL_TIME", str(_SMALL)).replace("SHARES", str(_SHARES))
        threads = threads.replace("CALLER", str(_CALLER)).replace("OTHERS", str(_OTHERS))
    threads = threads.replace("TOGETHER", str(TOGETHER)).replace("NUMBER", str((1 << TOGETHER) - 1))
    parts = [threads, _TEXT, "declare i64 @llvm.umin.i64(i64, i64)", _COPY, _SET_ROW]
    fields = "\n".join(
        f"  %q{i} = getelementptr i64, ptr %d, i64 {i}\n  %f{i} = load i64, ptr %q{i}"
        for i in range(17)
    )
    for kind, scalar in (("f4", "float"), ("f8", "double")):
        word = "fptrunc double {}8 to float" if kind == "f4" else "fadd double {}8, -0.0"
        factors = "\n".join(f"  {x} = {word.format(x)}" for x in ("%alpha", "%beta"))
        product = _PRODUCT.replace("KIND", kind).replace("TYPE", scalar).replace("FIELDS", fields)
        parts.append(product.replace("FACTORS", factors))
    return "\n".join(parts)
