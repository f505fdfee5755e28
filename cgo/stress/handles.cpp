// Sixteen threads use the handle table at once, for ThreadSanitizer. Each makes, keeps, reads and
// frees tensors in its own scopes, reads shared tensors, and uses ended handles; pairs of threads
// free the same tensor.
//
// Built only with LOSSCORR_SANITIZE=thread; "make test-sanitizers" runs it.

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "shim.h"

namespace {

constexpr int threads = 16, rounds = 2000, shared_tensors = 8;

std::atomic<int> failures{0};

void expect(bool holds, const char* what) {
  if (holds) return;
  if (failures++ < 10) std::fprintf(stderr, "%s\n", what);
}

// kind returns -1 if there is no error.
int kind(lt_error* e) {
  if (e == nullptr) return -1;
  int k = e->kind;
  lt_error_free(e);
  return k;
}

double value(lt_tensor t) { return lt::get(t).const_data_ptr<double>()[0]; }

lt_tensor make(double v) { return lt::put(at::full({4}, v, at::kDouble)); }

// Contested is a tensor that two threads free at the same moment.
struct Contested {
  lt_tensor tensor = 0;
  std::atomic<int> arrived{0};
};

void work(int number, const std::vector<lt_tensor>& shared, std::vector<Contested>& contested, std::atomic<int>& freed) {
  for (int round = 0; round < rounds; round++) {
    expect(kind(lt_scope_begin()) == -1, "scope_begin fails");
    std::vector<lt_tensor> own;
    for (int i = 0; i < 20; i++) own.push_back(make(number * 1000 + i));
    for (int i = 0; i < 20; i++) expect(value(own[i]) == number * 1000 + i, "a handle gives another thread's tensor");
    for (int i = 0; i < shared_tensors; i++) expect(value(shared[i]) == -i, "a shared tensor has changed");
    expect(kind(lt_free(own[3])) == -1, "free fails");
    expect(kind(lt_free(own[3])) == LT_STALE_HANDLE, "freed twice");
    expect(kind(lt_scope_begin()) == -1, "scope_begin fails");
    lt_tensor kept = make(round);
    expect(kind(lt_keep(kept)) == -1, "keep fails");
    expect(kind(lt_scope_end()) == -1, "scope_end fails");
    expect(value(kept) == round, "a kept tensor is gone");
    if (round % 10 == 0) {  // one of the two finds it gone
      Contested& c = contested[(number / 2) * (rounds / 10) + round / 10];
      for (c.arrived++; c.arrived < 2;) {
      }
      int k = kind(lt_free(c.tensor));
      expect(k == -1 || k == LT_STALE_HANDLE, "a contested free fails in another way");
      if (k == -1) freed++;
    }
    expect(kind(lt_scope_end()) == -1, "scope_end fails");
    expect(kind(lt_free(own[5])) == LT_STALE_HANDLE, "a tensor outlives its scope");
    int64_t live = 0;
    expect(kind(lt_live(&live)) == -1 && live >= shared_tensors, "live fails");
  }
}

}  // namespace

int main() {
  at::set_num_threads(1);
  int64_t before = 0, after = 0;
  lt_live(&before);
  std::vector<lt_tensor> shared;
  for (int i = 0; i < shared_tensors; i++) shared.push_back(make(-i));
  std::vector<Contested> contested(threads / 2 * (rounds / 10));
  for (auto& c : contested) c.tensor = make(7);
  std::atomic<int> freed{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) all.emplace_back([&, i] { work(i, shared, contested, freed); });
  for (auto& t : all) t.join();
  for (lt_tensor t : shared) lt_free(t);
  lt_live(&after);
  expect(freed == static_cast<int>(contested.size()), "a contested tensor was not freed exactly once");
  expect(before == after, "tensors are left");
  std::printf("%d threads, %d rounds: %d failures, %lld tensors left\n", threads, rounds, failures.load(), static_cast<long long>(after - before));
  return failures == 0 ? 0 : 1;
}
