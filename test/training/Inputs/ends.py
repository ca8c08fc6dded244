# ends.py PERFC FILE NAME=CENTRE+-SHARE…: FILE with these parameters uncertain has intervals, around the results of FILE
# without them, that hold what FILE comes to with each parameter at each end and nothing more; several add in quadrature.
import json, math, re, subprocess, sys

perfc, file, *given = sys.argv[1:]
inputs = {}
for text in given:
    name, value = text.split("=")
    centre, share = value.split("+-")
    number, unit = re.fullmatch(r"([0-9.]+)(.*)", centre).groups()
    inputs[name] = (float(number), unit, float(share))


def run(values):
    defines = [part for name, value in values.items() for part in ("-D", f"{name}={value}")]
    text = subprocess.run([perfc, "run", file, "--json", *defines], check=True, capture_output=True, text=True).stdout
    result = json.loads(text)["results"][0]
    metrics = {name: value for name, value in result["metrics"].items() if isinstance(value, (int, float))}
    if "serving" in result:
        for base in ("ttft", "tpot", "tbt", "latency", "queue_delay", "batch_size", "batch_tokens"):
            metrics.update({f"{base}.{part}": value for part, value in (result["serving"][base] or {}).items() if value is not None})
    return metrics, result.get("half_width", {})


def value(name, step=0, uncertain=False):
    number, unit, share = inputs[name]
    return f"{number * (1 + step * share)!r}{unit}" + (f" +- {100 * share!r}%" if uncertain else "")


def with_one(name, text):
    return run({other: text if other == name else value(other) for other in inputs})


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12)


centre, none = run({name: value(name) for name in inputs})
assert not none, none
squares = {}
for name in inputs:
    (metrics, widths), (up, _), (down, _) = (with_one(name, value(name, 0, True)), with_one(name, value(name, 1)),
                                            with_one(name, value(name, -1)))
    assert metrics == centre
    assert widths
    for metric in centre:
        if metric == "power":  # without static power a lower bound, which has no interval
            continue
        width = widths.get(metric, 0)
        moves = [abs(end[metric] - centre[metric]) for end in (up, down) if metric in end]
        assert near(width, max(moves)), (name, metric, width, moves)
        squares[metric] = squares.get(metric, 0) + width ** 2
    print(name, "moves", " ".join(metric for metric in ("step_time", "tokens_per_s", "energy", "cost", "ttft.p99") if metric in widths))
_, widths = run({name: value(name, 0, True) for name in inputs})
for metric, square in squares.items():
    assert near(widths.get(metric, 0), math.sqrt(square)), metric
print("in quadrature:", len([metric for metric in squares if squares[metric] > 0]) > 3)
