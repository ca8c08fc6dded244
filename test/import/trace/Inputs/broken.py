# Traces with one mistake each: perfc says where, and ends with exit status 2.
import json
import subprocess
import sys

perfc, profile, host = sys.argv[1:]
DIMS = [[8, 4], [4, 2]]


def event(**changes):
    one = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 2,
           "args": {"External id": 1, "Input type": ["float", "float"], "Input Dims": DIMS}}
    one["args"].update(changes.pop("args", {}))
    one.update(changes)
    return one


def node(**changes):
    one = {"id": 2, "name": "aten::mm", "ctrl_deps": 1,
           "inputs": {"values": [0, 0], "shapes": DIMS, "types": ["Tensor(float)", "Tensor(float)"]},
           "outputs": {"values": [0], "shapes": [[8, 2]], "types": ["Tensor(float)"]}}
    one.update(changes)
    return one


def tried(name, text):
    with open("bad.json", "w") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    result = subprocess.run([perfc, "import", "torch_trace", "bad.json"], capture_output=True, text=True,
                            timeout=20)
    first = result.stderr.splitlines()[0] if result.stderr else result.stdout.count("matmul")
    print(f"{name}: {result.returncode} {first}")


tried("text", "traceEvents")
tried("cut", open(profile).read()[:4000])
tried("deep", "[" * 100000)
tried("list", [])
tried("neither", {"events": []})
tried("nothing", {"traceEvents": []})
tried("name", {"traceEvents": [event(), event(name=3)]})
tried("negative", {"traceEvents": [event(args={"Input Dims": [[8, -4], [4, 2]]})]})
tried("large", {"traceEvents": [event(args={"Input Dims": [[2**62, 4], [4, 2]]})]})
tried("product", {"traceEvents": [event(args={"Input Dims": [[2**40, 2**40], [2**40, 2]]})]})
tried("ranks", {"traceEvents": [event(args={"Input Dims": [[1] * 17, [4, 2]]})]})
tried("fit", {"traceEvents": [event(args={"Input Dims": [[8, 3], [4, 2]]})]})
tried("table", {"traceEvents": [event(name="aten::embedding_dense_backward", args={
    "Input type": ["Scalar", "float", "float"], "Input Dims": [[], [8, 4], [4, 2]], "Concrete Inputs": ["", "", "10"]})]})
IMAGE = ["float", "float", "", "", "", "", ""], [[2, 8, 14, 14], [16, 8, 3, 3], [], [], [], [], []]
for name, texts, dims in (("channels", ["[1, 1]", "[1, 1]", "[1, 1]", "1"], [[2, 4, 14, 14], *IMAGE[1][1:]]),
                          ("stride", ["[0, 1]", "[1, 1]", "[1, 1]", "1"], IMAGE[1]),
                          ("window", ["[1, 1]", "[0, 0]", "[9, 9]", "1"], IMAGE[1]),
                          ("wide", ["[1, 1]", "[9223372036854775807, 1]", "[1, 1]", "1"], IMAGE[1])):
    tried(name, {"traceEvents": [event(name="aten::conv2d", args={
        "Input type": IMAGE[0], "Input Dims": dims, "Concrete Inputs": ["", "", "", *texts]})]})
tried("types", {"traceEvents": [event(args={"Input Dims": "no", "Input type": [1, None]}), 3, None]})
tried("nested", {"traceEvents": [event(name="outer", ts=i, dur=200000 - 2 * i, args={"External id": i, "Input type": []})
                                 for i in range(50000)] + [event(ts=60000, dur=1)]})
tried("node", {"nodes": [node(), 7]})
tried("id", {"nodes": [node(id="x")]})
tried("circle", {"nodes": [node(), node(id=3, ctrl_deps=4), node(id=4, ctrl_deps=3), node(id=5, ctrl_deps=5)]})
tried("older", {"nodes": [{"id": 2, "name": "aten::mm", "parent": 1, "inputs": [0, 0], "input_shapes": DIMS,
                           "input_types": ["Tensor(float)", "Tensor(float)"], "outputs": [], "output_shapes": [],
                           "output_types": []}]})
