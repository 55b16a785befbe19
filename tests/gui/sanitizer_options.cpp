// What the sanitizers are to leave alone in tests of the desktop program: what Qt and what it loads do among
// themselves. Linked into these tests in a sanitized build; nothing of ours is named here.

#if defined(__SANITIZE_THREAD__)
// Qt and the libraries below it are not instrumented, and their locks are bare futexes, so that no order is seen in
// what they allocate, move and free across threads. Memory that our own code touches is still watched. QProcess forks
// while the pool works.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1:die_after_fork=0"; }
#endif
