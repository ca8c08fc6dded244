#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the communication libraries of stdlib/interconnects to measured collectives.

    collectives.py COLLECTIVE.csv BUSBW.csv [--out FOLDER] [--only NETWORK]

The tables are those of `perfc validate collective` and `collectives_busbw`. Rows of one library on
one network generation form a set; of each set every second row, in the order of the table, is fitted
and the others only tested. The model is backends/network/Library.h for one level of network; the fit
is Nelder-Mead on the logarithms of the parameters from several fixed starts, and minimises the mean
absolute percentage error plus a small pull towards the starting values, which keeps what the rows
do not determine where physics puts it. Deterministic. Prints the errors and, for the rows below 1 MiB,
their floor: the error of the best time that never falls with the size, chosen per collective and
number of ranks with all rows known; what scatters more than that no model of size and ranks can
predict. With --out also writes the `library` blocks of each network; intervals.perf states their error
intervals.
"""
import argparse
import copy
import csv
import math
import random

RING = ["all_reduce", "all_gather", "reduce_scatter"]
PEERS = ["all_to_all", "send"]
MIB = 1 << 20
FREE = ("start", "latency", "bandwidth", "pair", "copy", "window", "exposed")
# Published, not fitted. Of LL's 8 bytes 4 are data, of LL128's 128 bytes 120. The others are NCCL's src/graph/tuning.cc
# (v2.28), of trees: a step over NVLink (LL: 1.8 times the 0.6 us of one node), over PCIe and over a network, in us; the
# share of a network's bandwidth.
FLAGS = {"ll": "50%", "ll128": "93.75%", "p2p_ll": "50%"}
TREES = {"ll": (1.08, 1.8, 5, "24.2%"), "ll128": (1.25, 1.9, 8.5, "86.3%"), "simple": (4, 4, 14, "92%")}


def shape(algorithm, collective, n):
    """Steps, share of the buffer that a rank sends, share that it copies."""
    rounds = 2 if collective == "all_reduce" else 1
    if algorithm == "ring":
        return rounds * (n - 1), rounds * (n - 1) / n, 1 / n
    if algorithm == "in_network":
        return 1, 1, 0
    if algorithm == "one_shot":
        return 1, n - 1, 1
    if algorithm == "two_shot":
        return 2, 2 * (n - 1) / n, 1 / n
    return (1, 1, 0) if collective == "send" else (n - 1, (n - 1) / n, 1 / n)


def protocol_time(p, collective, n, size):
    """In us; bandwidths in GB/s."""
    steps, sent, copied = shape(p["algorithm"], collective, n)
    rate = min(p["bandwidth"], p["pair"]) if n == 2 and "pair" in p else p["bandwidth"]
    waited = steps * p.get("exposed", 0) * min(size / n, p.get("window", 0))
    time = p["start"] + steps * p["latency"] + (sent * size + waited) / rate / 1e3
    return time + (copied * size / p["copy"] / 1e3 if "copy" in p else 0)


def predict(library, collective, n, size):
    best = None
    for p in library["protocols"]:
        least, most = p.get("ranks", (2, 1 << 30))
        if collective in p["serves"] and least <= n <= most and size <= p.get("up_to", math.inf):
            time = protocol_time(p, collective, n, size)
            best = time if best is None else min(best, time)
    time = best + library.get("launch", 0)
    if "clone" in library:
        time += 2 * size / library["clone"] / 1e3
    return max(time, library.get("host", 0))


# ---- starting points ----


def ring(name, start, latency, bandwidth, **more):
    return dict(name=name, algorithm="ring", serves=RING, start=start, latency=latency, bandwidth=bandwidth, **more)


def nccl(link, in_network=None, peers=True, host=None, pair=None):
    """LL, LL128 and Simple (NCCL's src/graph/tuning.cc), and peer to peer."""
    window = dict(window=8e6, exposed=0.3)
    protocols = [ring("ll", 2.0, 1.5, link * 0.15), ring("ll128", 4.0, 1.5, link * 0.4),
                 ring("simple", 8.0, 2.0, link * 0.8, copy=link * 1.6, **window)]
    if pair:
        protocols[2]["pair"] = pair
    if in_network:
        protocols.append(dict(name="nvls", algorithm="in_network", serves=["all_reduce"], start=20.0, latency=1.0,
                              bandwidth=link * 0.6, ranks=(in_network, 1024), **window))
    if peers:
        protocols += [dict(name="p2p_ll", algorithm="direct", serves=PEERS, start=4.0, latency=0.2, bandwidth=link * 0.1),
                      dict(name="p2p", algorithm="direct", serves=PEERS, start=10.0, latency=0.3, bandwidth=link * 0.7,
                           copy=link * 1.6, **window)]
    library = dict(launch=4.0, protocols=protocols)
    if host:
        library["host"] = host
    return library


def vllm(link, shots, multimem, nvls):
    """vLLM's own kernels, each up to the size that its dispatcher gives (custom_all_reduce, all_reduce_utils)."""
    def kernel(name, algorithm, start, latency, share, **more):
        return dict(name=name, algorithm=algorithm, serves=["all_reduce"], start=start, latency=latency,
                    bandwidth=link * share, **more)
    protocols = []
    for name, algorithm, ranks, limit in shots:
        protocols.append(kernel(name, algorithm, 0.5 if algorithm == "one_shot" else 3.0, 0.3, 0.55, ranks=(ranks, ranks),
                                up_to=limit))
    for ranks, limit in multimem:
        protocols.append(kernel("multimem", "in_network", 8.0, 0.5, 0.5, ranks=(ranks, ranks), up_to=limit))
    protocols.append(dict(ring("simple", 20.0, 0.9, link * 0.8, copy=link * 1.6, window=8e6, exposed=0.3),
                          serves=["all_reduce"]))
    if nvls:
        protocols.append(kernel("nvls", "in_network", 30.0, 0.9, 0.55, ranks=(nvls, 1024)))
    return dict(launch=4.0, protocols=protocols)


def eager(graph, host, clone):
    """The same kernels, called one by one: the host sets the pace, and the input is copied before."""
    library = copy.deepcopy(graph)
    for p in library["protocols"]:
        p["fixed"] = True
    library.update(host=host, clone=clone, fixed=("clone",))
    return library


# ---- fit ----


def free(library):
    places = [(library, k) for k in ("launch", "host", "clone") if k in library and k not in library.get("fixed", ())]
    shared = {}
    for p in library["protocols"]:
        if not p.get("fixed"):
            # Variants of one kernel for several numbers of ranks have the same parameters.
            places += [(p, k) for k in FREE if k in p and shared.setdefault((p["name"], k), p) is p]
    return places


def spread(library):
    first = {}
    for p in library["protocols"]:
        base = first.setdefault(p["name"], p)
        for k in FREE:
            if k in base:
                p[k] = base[k]


def simplex(f, start, step, rounds):
    points = [list(start)] + [[x + step * (i == j) for j, x in enumerate(start)] for i in range(len(start))]
    points = [(f(p), p) for p in points]
    count = len(start)
    for _ in range(rounds):
        points.sort(key=lambda entry: entry[0])
        worst = points[-1]
        if worst[0] - points[0][0] < 1e-7:
            break
        middle = [sum(p[j] for _, p in points[:-1]) / count for j in range(count)]
        def at(t):
            p = [m + t * (m - w) for m, w in zip(middle, worst[1])]
            return f(p), p
        mirrored = at(1)
        if mirrored[0] < points[0][0]:
            points[-1] = min(mirrored, at(2))
        elif mirrored[0] < points[-2][0]:
            points[-1] = mirrored
        else:
            nearer = at(-0.5)
            if nearer[0] < worst[0]:
                points[-1] = nearer
            else:
                best = points[0][1]
                points = [points[0]] + [(f(q), q) for q in
                                        ([(a + b) / 2 for a, b in zip(p, best)] for _, p in points[1:])]
    return min(points)


def fit(library, rows, starts=5, rounds=2500):
    places = free(library)
    origin = [math.log(d[k]) for d, k in places]

    def put(x):
        for (d, k), y in zip(places, x):
            d[k] = math.exp(max(-9.0, min(22.0, y)))
        spread(library)

    def loss(x):
        put(x)
        error = sum(min(2, abs(predict(library, c, n, s) - t) / t) for c, n, s, t in rows) / len(rows)
        return error + 0.0005 * sum((a - b) ** 2 for a, b in zip(x, origin))

    best = (loss(origin), origin)
    jitter = random.Random(1)
    for start in range(starts):
        x = [a + (jitter.uniform(-0.5, 0.5) if start else 0) for a in best[1]]
        for step in (0.4, 0.1):
            value, x = simplex(loss, x, step, rounds)
        best = min(best, (value, x))
    put([math.log(float("%.3g" % math.exp(y))) for y in best[1]])


# ---- tables ----


def read(collectives, busbw):
    rows = {}
    generation = {"A100-SXM-80G": "nvlink3", "H100-SXM": "nvlink4", "B200-SXM": "nvlink5", "GB200": "nvl72",
                  "L40S": "pcie4", "RTX-6000-Ada": "pcie4", "RTX-PRO-6000-S": "pcie5"}
    for r in csv.DictReader(open(collectives)):
        impl = r["impl"]
        name = ("nccl_profiled" if "profiled" in impl else "nccl_2023" if impl == "nccl" else impl.split("-")[0])
        op = {"alltoall": "all_to_all", "send_recv": "send"}.get(r["op"], r["op"])
        rows.setdefault((generation[r["device"]], name), []).append(
            (op, int(r["gpus"]), int(r["bytes"]), float(r["latency_us"])))
    for r in csv.DictReader(open(busbw)):
        chip = {"A100": "nvlink3", "H100": "nvlink4", "H200": "nvlink4", "B200": "nvlink5"}.get(r["gpu"][:4])
        if not chip or not r["message_bytes"] or "NVLS off" in r["algo"] or r["n_nodes"] != "1":
            continue
        n, size = int(r["n_gpus"]), int(r["message_bytes"])
        factor = (2 if r["collective"] == "all_reduce" else 1) * (n - 1) / n
        time = float(r["time_us"]) if r["time_us"] else factor * size / float(r["busbw_gbs"]) / 1e3
        rows.setdefault((chip, "nccl_tests"), []).append((r["collective"], n, size, time))
    return rows


def models():
    custom = [("one_shot", "one_shot", 4, MIB // 2 - 1), ("one_shot", "one_shot", 8, MIB // 4 - 1)]
    ada = [("one_shot", "one_shot", 2, 8 * MIB - 1)] + custom + [
        ("two_shot", "two_shot", 4, 8 * MIB - 1), ("two_shot", "two_shot", 8, 8 * MIB - 1)]
    hopper = [("one_shot", "one_shot", 2, 64 * MIB - 1)] + custom + [("two_shot", "two_shot", 4, 32 * MIB - 1)]
    blackwell = [("one_shot", "one_shot", 2, 2 * MIB - 1)] + custom + [("two_shot", "two_shot", 4, 2 * MIB - 1)]
    yield "nvlink3", "nccl", nccl(300)
    yield "nvlink3", "nccl_tests", nccl(300, peers=False, host=42.0)
    yield "nvlink3", "nccl_2023", nccl(300, peers=False)
    yield "nvlink3", "nccl_profiled", nccl(300)
    yield "nvlink3", "vllm_graph", vllm(300, ada, [], None)
    yield "nvlink3", "vllm_eager", (44.0, 1835.0)
    yield "nvlink4", "nccl", nccl(450)
    yield "nvlink4", "nccl_tests", nccl(450, in_network=5, peers=False, host=30.0)
    yield "nvlink4", "nccl_profiled", nccl(450, peers=False, pair=120.0)
    yield "nvlink4", "vllm_graph", vllm(450, hopper, [(8, 64 * MIB)], 5)
    yield "nvlink4", "vllm_eager", (22.0, 3017.0)
    yield "nvlink5", "nccl", nccl(900)
    yield "nvlink5", "nccl_tests", nccl(900, in_network=6, peers=False)
    yield "nvlink5", "vllm_graph", vllm(900, blackwell, [(2, 8 * MIB), (4, 32 * MIB), (8, 128 * MIB)], 4)
    yield "nvlink5", "vllm_eager", (21.0, 6900.0)
    rack = vllm(900, blackwell, [(2, 8 * MIB), (4, 32 * MIB)], 4)
    rack["protocols"][-2]["pair"] = 200.0
    yield "nvl72", "nccl", nccl(900)
    yield "nvl72", "vllm_graph", rack
    yield "nvl72", "vllm_eager", (44.0, 6900.0)
    yield "pcie4", "nccl", nccl(25)
    yield "pcie4", "nccl_profiled", nccl(25, peers=False)
    yield "pcie4", "vllm_graph", nccl(25, peers=False)
    yield "pcie4", "vllm_eager", nccl(25, peers=False, host=30.0)
    yield "pcie5", "nccl", nccl(50)
    yield "pcie5", "nccl_profiled", nccl(50, peers=False)
    yield "pcie5", "vllm_graph", nccl(50, peers=False)
    yield "pcie5", "vllm_eager", nccl(50, peers=False, host=30.0)


def errors(library, rows):
    parts = []
    for large in (True, False):
        list_ = [abs(predict(library, c, n, s) - t) / t * 100 for c, n, s, t in rows if (s >= MIB) == large]
        parts.append("%5.1f (%3d)" % (sum(list_) / len(list_), len(list_)) if list_ else "    -      ")
    return "  ".join(parts)


def floor(rows):
    """The mean absolute percentage error of the best monotone function of the size of each group."""
    groups, error, count = {}, 0, 0
    for c, n, s, t in rows:
        if s < MIB:
            groups.setdefault((c, n), []).append((s, t))
    for group in groups.values():
        values = sorted({t for _, t in group})
        best = [0] * len(values)  # of the rows so far, by the highest value used
        for _, t in sorted(group):
            least, row = math.inf, []
            for value, before in zip(values, best):
                least = min(least, before)
                row.append(least + abs(value - t) / t)
            best = row
        error += min(best)
        count += len(group)
    return "%5.1f" % (error / count * 100) if count else "    -"


def number(value):
    return "%d" % round(value) if value >= 1000 else "%.3g" % value


def size_text(value):
    return "%dMiB" % (value // MIB) if value % MIB == 0 else "%dB" % value


def tree_text(p, is_pcie):
    """The tree beside a ring: NCCL's table gives both the same base latency."""
    words = ["algorithm tree", "latency %sus" % number(TREES[p["name"]][is_pcie]), "groups 2",
             "outer_latency %sus; outer_share %s" % TREES[p["name"]][2:]]
    gone = [k for k in ("copy", "window", "exposed") if k in p]
    if gone:
        words.append("without " + ", ".join(gone))
    return "    protocol tree_%s from %s { %s }" % (p["name"], p["name"], "; ".join(words))


def where_text(p):
    """The ranks and sizes that a protocol runs with, as one line; "" for all."""
    words = []
    if "ranks" in p:
        words.append("ranks %d" % p["ranks"][0] + ("" if p["ranks"][1] >= 1024 else ", %d" % p["ranks"][1]))
    if "up_to" in p:
        words.append("up_to " + size_text(p["up_to"]))
    return " ".join(words)


def text(name, library, network):
    is_eager = "fixed" in library  # with the protocols of the graph's library
    lines = ["  library %s%s {" % (name, " from vllm_graph" if is_eager else "")]
    for key, unit in (("launch", "us"), ("host", "us")):
        if key in library:
            lines.append("    %s %s%s" % (key, number(library[key]), unit))
    if "clone" in library:
        lines.append("    clone %sGB/s" % number(library["clone"]))
    variants = {}  # of one kernel for several numbers of ranks
    for p in library["protocols"] if not is_eager else ():
        variants.setdefault(p["name"], []).append(p)
    for same in variants.values():
        p = same[0]
        words = ["algorithm " + p["algorithm"]]
        if p["algorithm"] == "in_network" or (p["algorithm"] == "ring" and p["serves"] != RING):
            words.append("serves " + ", ".join(p["serves"]))
        words += ["start %sus" % number(p["start"]), "latency %sus" % number(p["latency"]),
                  "bandwidth %sGB/s" % number(p["bandwidth"])]
        words += ["%s %sGB/s" % (k, number(p[k])) for k in ("pair", "copy") if k in p]
        if "window" in p:
            words += ["window %dkB" % round(p["window"] / 1e3), "exposed %s" % number(p["exposed"])]
        words += [where for where in map(where_text, same) if where]
        if p["name"] in FLAGS:
            words.append("outer_share " + FLAGS[p["name"]])
        lines.append("    protocol %s { %s }" % (p["name"], "; ".join(words)))
        if p["name"] == "simple" and name == "nccl":
            lines.append("    // Trees between nodes: steps and shares published, start and bandwidth of the rings.")
            lines += [tree_text(q, network.startswith("pcie")) for q in library["protocols"] if q["name"] in TREES]
    return "\n".join(lines + ["  }"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collectives")
    parser.add_argument("busbw")
    parser.add_argument("--out")
    parser.add_argument("--only", help="a network")
    arguments = parser.parse_args()
    rows = read(arguments.collectives, arguments.busbw)
    print("MAPE in %% (rows)%30s fitted half %20s other half" % ("", ""))
    print("%-27s %12s  %11s   %12s  %11s   %s" % ("", ">= 1 MiB", "below", ">= 1 MiB", "below", "floor below"))
    graph, blocks = None, {}
    for network, name, library in models():
        if arguments.only and network != arguments.only:
            continue
        if name == "vllm_eager" and isinstance(library, tuple):
            library = eager(graph, *library)
        table = rows[(network, name)]
        fit(library, table[::2])
        graph = library
        print("%-9s %-17s %s   %s   %s" % (network, name, errors(library, table[::2]), errors(library, table[1::2]),
                                           floor(table)), flush=True)
        blocks.setdefault(network, []).append(text(name, library, network))
    for network, libraries in blocks.items():
        if arguments.out:
            with open("%s/%s.txt" % (arguments.out, network), "w") as file:
                file.write("\n".join(libraries))


if __name__ == "__main__":
    main()
