#include "include/cjobs.h"

/// What the runtime offers for this (swift/Runtime/Concurrency.h), in the little that is needed.
typedef struct {
    void *identity;
    void *implementation;
} executor;

typedef __attribute__((swiftcall)) void (*enqueue)(void *job);

extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, enqueue original);
extern __attribute__((swiftcall)) void swift_job_run(void *job, executor on);

static _Thread_local cjobs_taker taker;
static _Thread_local void *context_of_taker;

static __attribute__((swiftcall)) void hook(void *job, enqueue original) {
    if (taker) taker(context_of_taker, job);
    else original(job);
}

void cjobs_redirect(cjobs_taker take, void *context) {
    taker = take;
    context_of_taker = context;
    __atomic_store_n(&swift_task_enqueueGlobal_hook, hook, __ATOMIC_RELEASE);
}

void cjobs_run(void *job) {
    executor generic = {0, 0};
    swift_job_run(job, generic);
}
