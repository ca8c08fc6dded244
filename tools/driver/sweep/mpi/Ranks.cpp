// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/Ranks.h"

#include <chrono>
#include <cstdlib>
#include <mpi.h>
#include <thread>

using namespace perfc::driver;

namespace {

class MpiRanks : public Ranks {
public:
  MpiRanks() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &ownRank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return ownRank; }
  int size() const override { return count; }
  void send(int to, llvm::StringRef bytes) override {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }
  std::string receive(int &from) override;

private:
  int ownRank = 0, count = 1;
};

} // namespace

/// Looks every millisecond: a process that waits in MPI_Recv takes a whole core.
std::string MpiRanks::receive(int &from) {
  MPI_Status status;
  int isThere = 0;
  int source = from < 0 ? MPI_ANY_SOURCE : from;
  while (true) {
    MPI_Iprobe(source, 0, MPI_COMM_WORLD, &isThere, &status);
    if (isThere)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  from = status.MPI_SOURCE;
  std::string bytes(static_cast<size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return bytes;
}

/// MPI starts other processes of its own when nobody has started this one with it: only what mpirun
/// or srun has begun is asked.
Ranks *Ranks::world() {
  bool isStarted = false;
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    isStarted |= std::getenv(name) != nullptr;
  if (!isStarted)
    return nullptr;
  static MpiRanks ranks;
  return ranks.size() > 1 ? &ranks : nullptr;
}
