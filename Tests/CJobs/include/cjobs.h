#pragma once

/// Takes a job of Swift's concurrency runtime; ``cjobs_run`` runs it.
typedef void (*cjobs_taker)(void *context, void *job);

/// What this thread would hand to the runtime's pool of threads goes to `take` from now on; null
/// ends that. Other threads are left alone.
void cjobs_redirect(cjobs_taker take, void *context);
/// Runs a job on this thread until it ends or waits.
void cjobs_run(void *job);
