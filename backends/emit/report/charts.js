// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The charts of a report. Each is a function of the report's data (Report.h) to the text of an SVG,
// with what it shows as a table beside it; nothing here needs a browser. In ECMAScript 5, which
// Duktape reads.
var perfcCharts = (function () {
  "use strict";

  //===-- Text ------------------------------------------------------------------------------===//

  function escaped(text) {
    return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
  }

  function tag(name, attributes, inside) {
    var text = "<" + name;
    for (var key in attributes)
      if (attributes[key] !== undefined)
        text += " " + key + '="' + escaped(attributes[key]) + '"';
    return inside === undefined ? text + "/>" : text + ">" + inside + "</" + name + ">";
  }

  function label(x, y, text, kind) { return tag("text", { x: px(x), y: px(y), "class": kind }, escaped(text)); }
  function rule(x1, y1, x2, y2, kind) { return tag("line", { x1: px(x1), y1: px(y1), x2: px(x2), y2: px(y2), "class": kind }); }
  function hint(text) { return "<title>" + escaped(text) + "</title>"; }
  function px(value) { return Math.round(value * 10) / 10; }
  function total(list, of) { return list.reduce(function (sum, one) { return sum + (of(one) || 0); }, 0); }
  function clipped(text, width) {
    var most = Math.floor(width / 6.8);
    return text.length <= most ? text : most < 3 ? "" : text.slice(0, most - 1) + "…";
  }

  var prefixes = ["f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];

  /// A number of a column, as people read it: with a prefix that leaves 1 to 999.
  function quantity(value, unit, isShare) {
    if (value === null || value === undefined) return "–";
    if (isShare) return (value * 100).toFixed(1) + " %";
    if (value === 0) return "0" + (unit ? " " + unit : "");
    if (unit === "m2") return digits(value * 1e6) + " mm²";
    if (!unit || unit === "cycle" || unit.slice(0, 3) === "USD")
      return (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3 ? digits(value, true) : digits(value)) + (unit ? " " + unit : "");
    var isBinary = unit === "B", base = isBinary ? 1024 : 1000;
    var power = Math.floor(Math.log(Math.abs(value)) / Math.log(base) + 1e-9);
    power = Math.max(isBinary ? 0 : -5, Math.min(6, power));
    var prefix = prefixes[power + 5];
    if (isBinary && power > 0) prefix = prefix.toUpperCase() + "i";
    return digits(value / Math.pow(base, power)) + " " + prefix + unit;
  }

  function digits(value, isLong) {
    if (isLong) return Math.round(value) === value && Math.abs(value) < 1e15 ? grouped(value) : value.toExponential(2);
    if (Math.round(value) === value && Math.abs(value) < 1e6) return grouped(value);
    return String(Number(value.toPrecision(4)));
  }
  function grouped(value) { return String(value).replace(/\B(?=(\d{3})+$)/g, ","); }

  //===-- The table of all results ----------------------------------------------------------===//

  function column(report, name) {
    var found = report.columns.filter(function (one) { return one.name === name; });
    return found.length ? found[0] : null;
  }

  /// The value of a column in a row: a number or a word.
  function cell(of, row) {
    if (of.cells.words) return of.cells.words[of.cells.rows ? of.cells.rows[row] : 0];
    return of.cells.numbers[of.cells.numbers.length > 1 ? row : 0];
  }
  function isNumeric(of) { return !of.cells.words; }
  function varies(of) { return of.cells.words ? of.cells.words.length > 1 : of.cells.numbers.length > 1; }
  function cellText(of, row) {
    var value = cell(of, row);
    if (!isNumeric(of)) return value;
    var halves = of.cells.half_widths, half = halves && halves[halves.length > 1 ? row : 0];
    return quantity(value, of.unit, of.share) + (half ? " ± " + quantity(half, of.unit, of.share) : "");
  }
  function rowsOf(report) { return d3.range(report.rows); }

  //===-- Axes ------------------------------------------------------------------------------===//

  /// A scale over `values`: logarithmic where they span much, which only positive ones can.
  function scaleOver(values, from, to, wantsLog) {
    var least = d3.min(values), most = d3.max(values);
    var isLog = least > 0 && (wantsLog || most / least > 50);
    if (least === most) { least = isLog ? least / 2 : least - Math.abs(least || 1) / 2; most = isLog ? most * 2 : most + Math.abs(most || 1) / 2; }
    var scale = isLog ? d3.scale.log().domain([least / 1.15, most * 1.15]) : d3.scale.linear().domain([least >= 0 && least < most / 2 ? 0 : least, most]).nice();
    scale.range([from, to]);
    scale.isLog = isLog;
    return scale;
  }

  function ticksOf(scale, count) {
    if (!scale.isLog) return scale.ticks(count);
    var domain = scale.domain(), decades = Math.log(domain[1] / domain[0]) / Math.LN10;
    var steps = decades < 1 ? [1, 1.5, 2, 3, 4, 5, 7] : decades < 3 ? [1, 2, 5] : [1], ticks = [];
    var every = Math.max(1, Math.ceil(decades / count));
    for (var power = Math.floor(Math.log(domain[0]) / Math.LN10); power <= Math.log(domain[1]) / Math.LN10; ++power)
      steps.forEach(function (step) {
        var tick = step * Math.pow(10, power);
        if (tick >= domain[0] && tick <= domain[1] && (every === 1 || power % every === 0)) ticks.push(Number(tick.toPrecision(6)));
      });
    return ticks;
  }

  function axes(frame, x, y, xTitle, yTitle, xText, yText) {
    var text = "";
    ticksOf(x, 7).forEach(function (tick) {
      text += rule(x(tick), frame.top, x(tick), frame.bottom, "grid") + label(x(tick), frame.bottom + 16, xText(tick), "muted middle");
    });
    ticksOf(y, 6).forEach(function (tick) {
      text += rule(frame.left, y(tick), frame.right, y(tick), "grid") + label(frame.left - 6, y(tick) + 4, yText(tick), "muted end");
    });
    text += tag("path", { "class": "axis", d: "M" + frame.left + " " + frame.top + "V" + frame.bottom + "H" + frame.right });
    text += label((frame.left + frame.right) / 2, frame.bottom + 36, xTitle, "middle");
    return text + label(frame.left, frame.top - 8, yTitle, "");
  }

  function frameOf(width, height) { return { left: 92, top: 28, right: width - 40, bottom: height - 46 }; }

  /// Names with their colours, in lines below a chart.
  function legend(names, y, width) {
    var x = 92, text = "";
    names.forEach(function (name, i) {
      var room = 30 + name.length * 7;
      if (x + room > width) { x = 92; y += 18; }
      text += tag("rect", { x: x, y: y - 10, width: 12, height: 12, "class": "c" + i % 8 }) + label(x + 17, y, name, "");
      x += room;
    });
    return { svg: text, bottom: y + 8 };
  }

  function chart(name, title, width, height, svg, table, more) {
    var result = { name: name, title: title, width: width, height: height, svg: svg, table: table };
    for (var key in more) result[key] = more[key];
    return result;
  }

  //===-- Charts of a result ----------------------------------------------------------------===//

  /// The kernels and collectives of a breakdown with how often they run.
  function kernelsOf(part, runs, list) {
    if (part.kind === "kernel" || part.kind === "collective" || (part.kind === "phase" && !part.parts && part.latency)) {
      list.push({ part: part, runs: runs, latency: part.latency * runs });
      return list;
    }
    (part.parts || []).forEach(function (child) { kernelsOf(child, runs * (part.count || 1), list); });
    return list;
  }

  var boundColors = { compute: 0, memory: 1, network: 2, collective: 2, launch: 3 };
  function boundColor(bound, kind) {
    var color = boundColors[(bound || kind || "").split(" ")[0]];
    return color === undefined ? 7 : color;
  }
  var boundNames = ["compute", "memory", "network", "launch", "", "", "", "other"];
  function boundLegend(used, y) {
    var x = 92, text = "";
    boundNames.forEach(function (name, i) {
      if (!used[i]) return;
      text += tag("rect", { x: x, y: y - 10, width: 12, height: 12, "class": "c" + i }) + label(x + 17, y, name, "");
      x += 40 + name.length * 7;
    });
    return text;
  }

  function roofline(result) {
    if (!result.memories.length) return null;
    var memory = result.memories[0].name, kernels = [];
    kernelsOf(result.breakdown, 1, []).forEach(function (one) {
      var moved = (one.part.parts || []).filter(function (part) { return part.kind === "memory" && part.label === memory && part.bytes; });
      if (!one.part.flops || !moved.length || !one.part.latency) return;
      var runs = one.part.count || 1, bytes = total(moved, function (part) { return part.bytes; }) * runs;
      kernels.push({
        label: one.part.label, bound: one.part.bound, time: one.latency,
        intensity: one.part.flops / bytes, speed: one.part.flops / one.part.latency,
        peak: one.part.macs && one.part.utilization ? 2 * one.part.macs / one.part.latency / one.part.utilization : 0,
        bandwidth: total(moved, function (part) { return part.latency; }) > 0 ? bytes / runs / total(moved, function (part) { return part.latency; }) : 0
      });
    });
    if (!kernels.length) return null;
    var peaks = d3.nest().key(function (one) { return one.peak.toPrecision(2); }).entries(kernels.filter(function (one) { return one.peak; }))
      .map(function (alike) { return d3.max(alike.values, function (one) { return one.peak; }); }).sort(d3.ascending);
    var bandwidth = d3.max(kernels, function (one) { return one.bandwidth; }), width = 900, height = 420, frame = frameOf(width, height - 24);
    var ridges = bandwidth ? peaks.map(function (peak) { return peak / bandwidth; }) : [];
    var x = scaleOver(kernels.map(function (one) { return one.intensity; }).concat(ridges), frame.left, frame.right, true);
    var y = scaleOver(kernels.map(function (one) { return one.speed; }).concat(peaks), frame.bottom, frame.top, true);
    var unit = function (tick) { return quantity(tick, "FLOP/s"); };
    var svg = axes(frame, x, y, "operational intensity at " + memory + " (FLOP/B)", "speed", function (tick) { return digits(tick); }, unit);
    var lowest = x.domain()[0], highest = x.domain()[1];
    if (bandwidth) {
      var top = peaks.length ? peaks[peaks.length - 1] : y.domain()[1], from = Math.max(lowest, y.domain()[0] / bandwidth);
      svg += rule(x(from), y(from * bandwidth), x(Math.min(highest, top / bandwidth)), y(Math.min(highest * bandwidth, top)), "roof");
      var middle = Math.sqrt(from * Math.min(highest, top / bandwidth));
      svg += label(x(middle) + 12, y(middle * bandwidth) + 6, memory + " " + quantity(bandwidth, "B/s"), "halo");
    }
    peaks.forEach(function (peak) {
      var start = bandwidth ? Math.max(lowest, peak / bandwidth) : lowest;
      svg += rule(x(start), y(peak), frame.right, y(peak), "roof") + label(frame.right, y(peak) - 16, quantity(peak, "FLOP/s"), "end");
    });
    var longest = d3.max(kernels, function (one) { return one.time; }), used = {};
    kernels.slice().sort(function (a, b) { return b.time - a.time; }).slice(0, 500).forEach(function (one) {
      var color = boundColor(one.bound);
      used[color] = true;
      svg += tag("circle", { cx: px(x(one.intensity)), cy: px(y(one.speed)), r: px(3 + 9 * Math.sqrt(one.time / longest)), "class": "c" + color },
        hint(one.label + ": " + quantity(one.time, "s") + ", " + unit(one.speed) + ", " + digits(one.intensity) + " FLOP/B, bound by " + (one.bound || "nothing given")));
    });
    svg += boundLegend(used, height - 8);
    return chart("roofline", "Roofline: a circle for each kernel, as large as its time", width, height, svg, {
      columns: ["kernel", "FLOP/B", "speed", "time", "bound"],
      rows: kernels.map(function (one) { return [one.label, digits(one.intensity), unit(one.speed), quantity(one.time, "s"), one.bound]; })
    });
  }

  /// Energy by place, and there by operand or unit.
  function energy(result) {
    var places = [], known = {}, operands = [];
    function add(place, kind, operand, joules) {
      if (!joules) return;
      if (!known[place]) { known[place] = { name: place, kind: kind, parts: {}, sum: 0 }; places.push(known[place]); }
      known[place].parts[operand] = (known[place].parts[operand] || 0) + joules;
      known[place].sum += joules;
      if (operands.indexOf(operand) < 0) operands.push(operand);
    }
    result.memories.forEach(function (memory) { known[memory.name] = { name: memory.name, kind: "memory", parts: {}, sum: 0 }; places.push(known[memory.name]); });
    kernelsOf(result.breakdown, 1, []).forEach(function (one) {
      var runs = one.runs * (one.part.count || 1);
      if (!(one.part.parts || []).length) add(one.part.kind, one.part.kind, one.part.kind, one.part.energy * one.runs);
      (one.part.parts || []).forEach(function (part) {
        var inside = (part.parts || []).filter(function (child) { return child.energy; });
        if (part.kind === "memory" && inside.length)
          inside.forEach(function (child) { add(part.label, "memory", child.label, child.energy * runs); });
        else add(part.kind === "compute" ? "compute" : part.label, part.kind, part.kind === "compute" ? part.label : "all", part.energy * runs);
      });
    });
    places = places.filter(function (place) { return place.sum > 0; });
    if (!places.length) return null;
    operands.sort(function (a, b) { return total(places, function (p) { return p.parts[b]; }) - total(places, function (p) { return p.parts[a]; }); });
    var shown = operands.slice(0, 7), others = operands.slice(7);
    if (others.length) shown.push("others");
    var width = 900, step = 30, frame = { left: 130, top: 28, right: width - 90, bottom: 28 + step * places.length };
    var x = d3.scale.linear().domain([0, d3.max(places, function (place) { return place.sum; })]).range([frame.left, frame.right]), svg = "";
    places.forEach(function (place, i) {
      var at = 0, y = frame.top + i * step;
      svg += label(frame.left - 8, y + 18, clipped(place.name, 118), "end");
      shown.forEach(function (operand, color) {
        var joules = operand === "others" && others.length ? total(others, function (one) { return place.parts[one]; }) : place.parts[operand];
        if (!joules) return;
        svg += tag("rect", { x: px(x(at)), y: y + 3, width: Math.max(0.5, px(x(at + joules) - x(at))), height: step - 8, "class": "c" + color },
          hint(place.name + ", " + operand + ": " + quantity(joules, "J") + ", " + (100 * joules / place.sum).toFixed(1) + " %"));
        at += joules;
      });
      svg += label(x(place.sum) + 6, y + 18, quantity(place.sum, "J"), "muted");
    });
    svg += rule(frame.left, frame.top, frame.left, frame.bottom, "axis");
    var names = legend(shown, frame.bottom + 24, width);
    return chart("energy", "Energy by memory and operand", width, names.bottom, svg + names.svg, {
      columns: ["place", "operand", "energy"],
      rows: d3.merge(places.map(function (place) {
        return Object.keys(place.parts).map(function (operand) { return [place.name, operand, quantity(place.parts[operand], "J")]; });
      }))
    });
  }

  function treemap(result) {
    var groups = d3.nest().key(function (one) { return one.part.label; }).entries(kernelsOf(result.breakdown, 1, [])).map(function (entry) {
      var first = entry.values[0].part;
      return { label: entry.key, bound: first.bound, kind: first.kind, value: total(entry.values, function (one) { return one.latency; }),
               count: total(entry.values, function (one) { return one.runs * (one.part.count || 1); }) };
    }).filter(function (one) { return one.value > 0; });
    if (groups.length < 2) return null;
    var width = 900, height = 360, all = total(groups, function (one) { return one.value; }), used = {}, svg = "";
    d3.layout.treemap().size([width, height]).round(false).value(function (one) { return one.value; })
      .nodes({ children: groups.slice() }).filter(function (node) { return !node.children; }).forEach(function (node) {
        var color = boundColor(node.bound, node.kind);
        used[color] = true;
        svg += tag("g", {}, tag("rect", { x: px(node.x), y: px(node.y), width: px(node.dx), height: px(node.dy), "class": "c" + color },
          hint(node.label + (node.count > 1 ? ", " + node.count + " times" : "") + ": " + quantity(node.value, "s") + ", " + (100 * node.value / all).toFixed(1) + " %, bound by " + (node.bound || "nothing given"))) +
          (node.dy > 18 ? label(node.x + 5, node.y + 15, clipped(node.label, node.dx - 8), "") : "") +
          (node.dy > 36 && node.dx > 60 ? label(node.x + 5, node.y + 31, quantity(node.value, "s"), "muted") : ""));
      });
    groups.sort(function (a, b) { return b.value - a.value; });
    return chart("treemap", "Time by kernel, coloured by what limits it", width, height + 26, svg + tag("g", { transform: "translate(-92," + (height + 18) + ")" }, boundLegend(used, 0)), {
      columns: ["kernel", "times", "time", "share", "bound"],
      rows: groups.map(function (one) { return [one.label, one.count, quantity(one.value, "s"), (100 * one.value / all).toFixed(1) + " %", one.bound]; })
    });
  }

  /// Parts below what they are part of, as wide as their time; those that overlap stand below each other.
  function flame(result) {
    var width = 900, step = 22, deepest = 0, svg = "", rows = [], all = result.breakdown.latency;
    /// Returns how deep it reaches.
    function place(part, x, room, depth, share) {
      if (room < 0.4) return depth;
      deepest = Math.max(deepest, depth);
      var time = all * share;
      svg += tag("g", {}, tag("rect", { x: px(x), y: depth * step, width: px(room), height: step - 1, "class": "c" + boundColor(part.bound, part.kind) },
        hint(part.kind + " " + part.label + (part.count > 1 ? ", " + part.count + " times" : "") + ": " + quantity(time, "s") + ", " + (100 * share).toFixed(1) + " %")) +
        label(x + 4, depth * step + 15, clipped(part.label || part.kind, room - 6), ""));
      if (rows.length < 400) rows.push([new Array(depth + 1).join("· ") + (part.label || part.kind), part.kind, quantity(time, "s"), (100 * share).toFixed(1) + " %"]);
      var inside = (part.parts || []).filter(function (child) { return child.latency > 0; });
      if (!part.latency) return depth;
      var isOverlap = part.overlap || part.kind === "kernel", at = x, deep = depth;
      inside.sort(function (a, b) { return isOverlap ? b.latency - a.latency : 0; }).forEach(function (child) {
        var ratio = Math.min(1, child.latency * (part.count || 1) / part.latency);
        if (isOverlap) deep = place(child, x, room * ratio, deep + 1, share * ratio);
        else deep = Math.max(deep, place(child, at, room * ratio, depth + 1, share * ratio));
        at += room * ratio;
      });
      return deep;
    }
    if (!all) return null;
    place(result.breakdown, 0, width, 0, 1);
    if (deepest === 0) return null;
    return chart("flame", "Flame graph: parts below what they are part of, as wide as their time", width, (deepest + 1) * step, svg,
      { columns: ["part", "kind", "time", "share"], rows: rows });
  }

  function timeline(result) {
    var names = {}, kinds = [], events = result.timeline.filter(function (event) {
      if (event.ph === "M" && event.name === "thread_name") names[event.tid] = event.args.name;
      return event.ph === "X" && event.dur > 0;
    });
    if (events.length < 2) return null;
    events.forEach(function (event) { if (kinds.indexOf(event.cat) < 0) kinds.push(event.cat); });
    var threads = d3.set(events.map(function (event) { return event.tid; })).values().map(Number).sort(d3.ascending).slice(0, 64);
    var width = 900, step = threads.length > 16 ? 14 : 26, frame = { left: 92, top: 10, right: width - 16, bottom: 10 + step * threads.length };
    var x = d3.scale.linear().domain([0, d3.max(events, function (event) { return (event.ts + event.dur) * 1e-6; })]).range([frame.left, frame.right]), svg = "";
    threads.forEach(function (thread, i) {
      if (names[thread] || threads.length > 1) svg += label(frame.left - 6, frame.top + i * step + step / 2 + 4, clipped(names[thread] || "thread " + thread, 84), "end");
    });
    events.forEach(function (event) {
      var row = threads.indexOf(event.tid), start = x(event.ts * 1e-6), room = x((event.ts + event.dur) * 1e-6) - start;
      if (row < 0) return;
      svg += tag("rect", { x: px(start), y: frame.top + row * step + 1, width: Math.max(0.3, px(room)), height: step - 2, "class": "c" + kinds.indexOf(event.cat) % 8 },
        hint(event.name + " (" + event.cat + "): " + quantity(event.dur * 1e-6, "s") + " from " + quantity(event.ts * 1e-6, "s")));
      if (room > 30 && step > 20) svg += label(start + 3, frame.top + row * step + 17, clipped(event.name, room - 4), "");
    });
    x.ticks(8).forEach(function (tick) { svg += rule(x(tick), frame.bottom, x(tick), frame.bottom + 4, "axis") + label(x(tick), frame.bottom + 18, quantity(tick, "s"), "muted middle"); });
    svg += rule(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
    var below = legend(kinds, frame.bottom + 40, width);
    var left = result.events > result.timeline.length ? ", the first " + grouped(result.timeline.length) + " of " + grouped(result.events) + " events" : "";
    return chart("timeline", "Timeline" + left, width, below.bottom, svg + below.svg, {
      columns: ["what", "kind", "where", "start", "time"],
      rows: events.slice(0, 200).map(function (event) { return [event.name, event.cat, names[event.tid] || event.tid, quantity(event.ts * 1e-6, "s"), quantity(event.dur * 1e-6, "s")]; })
    });
  }

  //===-- Charts of all results -------------------------------------------------------------===//

  /// Rows of a table of measurements are no sweep.
  function swept(report) { return report.findings.tables ? [] : report.columns.filter(function (one) { return one.kind === "setting" && varies(one); }); }
  function metrics(report) { return report.columns.filter(function (one) { return (one.kind === "metric" || one.kind === "own") && isNumeric(one); }); }
  function frontNames(front) { return Object.keys(front.points[0] || {}).filter(function (key) { return key !== "point" && key !== "label"; }); }

  function different(of) { return d3.set(of.cells.words || of.cells.numbers).size(); }

  /// The metric that `wanted` names, or the first of those that usually matter.
  function chosen(report, wanted, usual) {
    var names = [wanted].concat(usual).filter(Boolean), known = metrics(report);
    for (var i = 0; i < names.length; ++i) {
      var found = known.filter(function (one) { return one.name === names[i]; });
      if (found.length && (varies(found[0]) || names[i] === wanted)) return found[0];
    }
    return known.filter(varies)[0] || null;
  }

  /// A metric against something that a sweep sets; of a metric that is a distribution its percentiles.
  function curves(report, options) {
    options = options || {};
    var xs = swept(report).filter(isNumeric), loads = xs.filter(function (one) { return /rate|qps|load|interval|clients/.test(one.name); });
    var longest = xs.slice().sort(function (a, b) { return different(b) - different(a); })[0];
    var x = xs.filter(function (one) { return one.name === options.x; })[0] || loads[0] || longest;
    var y = chosen(report, options.y, ["ttft", "latency", "step_time", "energy"]);
    if (!x || !y) return null;
    var others = swept(report).filter(function (one) { return one !== x; }).concat(column(report, "result")).filter(function (one) { return one && varies(one); });
    var groups = d3.nest().key(function (row) { return others.map(function (one) { return one.kind === "setting" ? one.name + " = " + cellText(one, row) : cellText(one, row); }).join(", "); })
      .entries(rowsOf(report).filter(function (row) { return cell(x, row) !== null && cell(y, row) !== null; }));
    var members = groups.length <= 2 ? ["p50", "p90", "p99"].filter(function (member) { return column(report, y.name + "." + member); }) : [];
    var series = [], left = Math.max(0, groups.length - 8);
    groups.slice(0, 8).forEach(function (group) {
      (members.length ? members : [""]).forEach(function (member) {
        var of = member ? column(report, y.name + "." + member) : y, points = [];
        group.values.forEach(function (row) { if (cell(of, row) !== null) points.push([cell(x, row), cell(of, row)]); });
        points.sort(function (a, b) { return a[0] - b[0]; });
        series.push({ name: [group.key, member].filter(String).join(", "), points: points });
      });
    });
    var all = d3.merge(series.map(function (one) { return one.points; }));
    if (all.length < 2) return null;
    var width = 900, height = 380, frame = frameOf(width, height);
    var sx = scaleOver(all.map(function (p) { return p[0]; }), frame.left, frame.right), sy = scaleOver(all.map(function (p) { return p[1]; }), frame.bottom, frame.top);
    var xText = function (tick) { return quantity(tick, x.unit); }, yText = function (tick) { return quantity(tick, y.unit, y.share); };
    var svg = axes(frame, sx, sy, x.name, y.name, xText, yText), draw = d3.svg.line().x(function (p) { return px(sx(p[0])); }).y(function (p) { return px(sy(p[1])); });
    series.forEach(function (one, i) {
      svg += tag("path", { "class": "line c" + i % 8, d: draw(one.points), "stroke-dasharray": i >= 8 ? "6 3" : undefined });
      if (one.points.length <= 60) one.points.forEach(function (p) {
        svg += tag("circle", { cx: px(sx(p[0])), cy: px(sy(p[1])), r: 3, "class": "c" + i % 8 }, hint(one.name + (one.name ? ": " : "") + y.name + " " + yText(p[1]) + " at " + x.name + " " + xText(p[0])));
      });
    });
    var names = series.length > 1 || series[0].name ? legend(series.map(function (one) { return one.name; }), height + 6, width) : { svg: "", bottom: height };
    return chart("curves", y.name + " against " + x.name + (left ? ", " + left + " further curves left out" : ""), width, names.bottom + 4, svg + names.svg, {
      columns: ["curve", x.name, y.name],
      rows: d3.merge(series.map(function (one) { return one.points.map(function (p) { return [one.name, xText(p[0]), yText(p[1])]; }); })).slice(0, 400)
    }, { x: x.name, y: y.name, xs: xs.map(nameOf), ys: metrics(report).filter(varies).map(nameOf) });
  }
  function nameOf(one) { return one.name; }

  /// Few points are seen where they are large.
  function thick(count) { return "stroke-width:" + (count < 100 ? 9 : count < 1000 ? 6 : 4) + (count < 100 ? ";stroke-opacity:.8" : ""); }

  /// All points by two metrics, with the front that a sweep asks for.
  function pareto(report, options) {
    options = options || {};
    if (report.rows < 3 || !swept(report).length) return null;
    var front = (report.findings.fronts || [])[0], names = front ? frontNames(front) : [];
    var x = chosen(report, options.x || names[0], ["latency", "step_time"]);
    var y = chosen(report, options.y || names[1], ["energy", "cost", "memory.peak", "tokens_per_s", "utilization"].filter(function (name) { return !x || name !== x.name; }));
    if (!x || !y || x === y) return null;
    var rows = rowsOf(report).filter(function (row) { return cell(x, row) !== null && cell(y, row) !== null; });
    if (rows.length < 2) return null;
    var width = 900, height = 420, frame = frameOf(width, height);
    var sx = scaleOver(rows.map(function (row) { return cell(x, row); }), frame.left, frame.right), sy = scaleOver(rows.map(function (row) { return cell(y, row); }), frame.bottom, frame.top);
    var mark = function (some) { return some.map(function (row) { return "M" + px(sx(cell(x, row))) + " " + px(sy(cell(y, row))) + "h0"; }).join(""); };
    var svg = axes(frame, sx, sy, x.name, y.name, function (tick) { return quantity(tick, x.unit, x.share); }, function (tick) { return quantity(tick, y.unit, y.share); });
    svg += tag("path", { "class": "dots", "style": thick(rows.length), d: mark(rows) }) + tag("path", { "class": "dots marked", "style": thick(rows.length), d: "" });
    var points = front && names.indexOf(x.name) >= 0 && names.indexOf(y.name) >= 0 ? front.points.slice() : [];
    points.sort(function (a, b) { return a[x.name] - b[x.name]; });
    if (points.length) {
      svg += tag("path", { "class": "front", d: d3.svg.line().interpolate("step-after").x(function (p) { return px(sx(p[x.name])); }).y(function (p) { return px(sy(p[y.name])); })(points) });
      points.forEach(function (p) {
        svg += tag("circle", { cx: px(sx(p[x.name])), cy: px(sy(p[y.name])), r: 5, "class": "c5" }, hint(p.point + ": " + x.name + " " + quantity(p[x.name], x.unit, x.share) + ", " + y.name + " " + quantity(p[y.name], y.unit, y.share)));
      });
    }
    return chart("pareto", points.length ? "Pareto front: " + grouped(points.length) + " of " + grouped(front.of) + " points, which none beats" : y.name + " against " + x.name + " of " + grouped(rows.length) + " points", width, height, svg, {
      columns: ["point", x.name, y.name],
      rows: points.length ? points.map(function (p) { return [p.point, quantity(p[x.name], x.unit, x.share), quantity(p[y.name], y.unit, y.share)]; }) : []
    }, { frame: frame, scales: [{ column: x, scale: sx }, { column: y, scale: sy }], mark: mark, x: x.name, y: y.name, xs: metrics(report).filter(varies).map(nameOf), ys: metrics(report).filter(varies).map(nameOf) });
  }

  /// At most so many lines can be told apart.
  var mostLines = 2500;

  function parallel(report) {
    var front = (report.findings.fronts || [])[0];
    var wanted = (front ? frontNames(front) : []).concat(["latency", "step_time", "ttft", "energy", "tokens_per_s", "utilization"]);
    var figures = wanted.map(function (name) { return column(report, name); }).filter(function (one, i, all) { return one && isNumeric(one) && varies(one) && all.indexOf(one) === i; });
    var settings = swept(report);
    if (report.rows < 3 || settings.length < 1 || settings.length + figures.length < 3) return null;
    var list = settings.slice(0, 6).concat(figures.slice(0, Math.max(2, 8 - settings.length)));
    var width = 900, height = 360, top = 40, bottom = height - 20;
    var scales = list.map(function (of, i) {
      var at = 60 + i * (width - 130) / (list.length - 1), values = rowsOf(report).map(function (row) { return cell(of, row); }).filter(function (value) { return value !== null; });
      var scale = isNumeric(of) ? scaleOver(values, bottom, top) : d3.scale.ordinal().domain(of.cells.words).rangePoints([bottom, top], 0.6);
      return { column: of, scale: scale, at: at };
    });
    var every = Math.max(1, Math.ceil(report.rows / mostLines)), shown = rowsOf(report).filter(function (row) { return row % every === 0; });
    var mark = function (some) {
      return some.map(function (row) {
        var points = scales.filter(function (one) { return cell(one.column, row) !== null; }).map(function (one) { return px(one.at) + " " + px(one.scale(cell(one.column, row))); });
        return points.length > 1 ? "M" + points.join("L") : "";
      }).join("");
    };
    var svg = tag("path", { "class": "lines", style: "stroke-opacity:" + (report.rows < 100 ? 0.7 : report.rows < 1000 ? 0.3 : 0.1), d: mark(shown) }) + tag("path", { "class": "lines marked", style: "stroke-opacity:" + (report.rows < 1000 ? 0.8 : 0.3), d: "" });
    scales.forEach(function (one, i) {
      svg += rule(one.at, top, one.at, bottom, "axis") + label(one.at, top - 20 + i % 2 * 12 - 4, one.column.name, "middle title");
      var ticks = isNumeric(one.column) ? ticksOf(one.scale, 5) : one.column.cells.words.slice(0, 20);
      ticks.forEach(function (tick) {
        svg += rule(one.at - 3, one.scale(tick), one.at, one.scale(tick), "axis") + label(one.at + 5, one.scale(tick) + 4, isNumeric(one.column) ? quantity(tick, one.column.unit, one.column.share) : clipped(tick, 90), "muted halo");
      });
    });
    return chart("parallel", "Parallel coordinates: a line for each point" + (every > 1 ? ", " + grouped(shown.length) + " of " + grouped(report.rows) : ""), width, height, svg, null, { scales: scales, mark: mark });
  }

  //===-- Charts of a table of measurements -------------------------------------------------===//

  function predicted(table) {
    var points = table.predictions.filter(function (one) { return one[2] > 0 && one[3] > 0; });
    if (points.length < 2) return null;
    var names = d3.set(points.map(function (one) { return one[1]; })).values(), width = 900, height = 460, frame = frameOf(width, height);
    var both = d3.merge(points.map(function (one) { return [one[2], one[3]]; }));
    var x = scaleOver(both, frame.left, frame.right, true), y = scaleOver(both, frame.bottom, frame.top, true), text = function (tick) { return digits(tick, tick < 1e-3); };
    var svg = axes(frame, x, y, "measured", "predicted", text, text) + rule(x(x.domain()[0]), y(y.domain()[0]), x(x.domain()[1]), y(y.domain()[1]), "roof");
    points.slice(0, 5000).forEach(function (one) {
      svg += tag("circle", { cx: px(x(one[3])), cy: px(y(one[2])), r: 3.5, "class": "c" + names.indexOf(one[1]) % 8 },
        hint(one[0] + " " + one[1] + ": predicted " + text(one[2]) + ", measured " + text(one[3]) + ", " + (100 * (one[2] / one[3] - 1)).toFixed(1) + " %; " + one[4]));
    });
    var below = legend(names, height + 6, width);
    var of = table.predictions.length < table.figures ? ", " + grouped(table.predictions.length) + " of " + grouped(table.figures) + " figures" : "";
    return chart("predicted", "Predicted against measured: " + table.table + of, width, below.bottom + 4, svg + below.svg, {
      columns: ["row", "metric", "predicted", "measured", "error"],
      rows: points.slice(0, 400).map(function (one) { return [one[0], one[1], text(one[2]), text(one[3]), (100 * (one[2] / one[3] - 1)).toFixed(1) + " %"]; })
    });
  }

  function groupName(group) {
    var names = Object.keys(group.by).map(function (key) { return key + " = " + group.by[key]; });
    return (names.length ? names.join(", ") : "all rows") + ": " + group.metric;
  }

  function errors(table) {
    var groups = table.groups.filter(function (group) { return group.mape !== null; }).slice(0, 40);
    if (!groups.length) return null;
    var width = 900, step = 24, left = 300, top = 8, bottom = top + step * groups.length;
    var x = d3.scale.linear().domain([0, d3.max(groups, function (group) { return Math.max(group.mape, group.p90_ape || 0); }) || 1]).nice().range([left, width - 70]), svg = "";
    groups.forEach(function (group, i) {
      var y = top + i * step;
      svg += label(left - 8, y + 16, clipped(groupName(group), left - 12), "end");
      svg += tag("rect", { x: left, y: y + 4, width: px(Math.max(0.5, x(group.mape) - left)), height: step - 8, "class": "c0" }, hint(groupName(group) + ": mean error " + group.mape.toFixed(2) + " %, " + group.rows + " rows"));
      if (group.p90_ape !== null) svg += rule(x(group.p90_ape), y + 2, x(group.p90_ape), y + step - 2, "roof");
      svg += label(Math.max(x(group.mape), x(group.p90_ape || 0)) + 6, y + 16, group.mape.toFixed(1) + " %", "muted");
    });
    svg += rule(left, top, left, bottom, "axis") + label(left, bottom + 18, "bar: mean error, line: 90 % of the rows have less", "muted");
    return chart("errors", "Errors by group: " + table.table, width, bottom + 26, svg, {
      columns: ["group", "rows", "mean error", "median", "90th percentile", "rank correlation"],
      rows: groups.map(function (group) {
        var share = function (value) { return value === null ? "–" : value.toFixed(2) + " %"; };
        return [groupName(group), group.rows, share(group.mape), share(group.median_ape), share(group.p90_ape), group.spearman === null ? "–" : group.spearman.toFixed(3)];
      })
    });
  }

  //===-- All of them -----------------------------------------------------------------------===//

  function svgOf(one, style) {
    return tag("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: "0 0 " + one.width + " " + Math.ceil(one.height), width: style ? one.width : undefined, height: style ? Math.ceil(one.height) : undefined, role: "img", "aria-label": one.title },
      (style ? "<style>" + style + "</style>" : "") + one.svg);
  }

  /// The charts that a report has, with the result that each is of in their names; of at most `most`
  /// results.
  function drawn(report, most) {
    var list = [];
    function take(prefix, one) { if (one) { one.file = prefix + one.name; list.push(one); } }
    [curves, pareto, parallel].forEach(function (draw) { take("", draw(report)); });
    (report.findings.tables || []).forEach(function (table, i) {
      [errors, predicted].forEach(function (draw) { take("table" + (i + 1) + ".", draw(table)); });
    });
    var names = report.results.map(function (result) { return cell(column(report, "result"), result.row); });
    report.results.slice(0, most).forEach(function (result, i) {
      var name = names[i].replace(/[^\w.-]/g, "_");
      if (names.indexOf(names[i]) !== names.lastIndexOf(names[i])) name += "_" + (result.row + 1);
      ofResult.forEach(function (draw) { take(name + ".", draw(result)); });
    });
    return list;
  }
  var ofResult = [roofline, energy, treemap, flame, timeline];

  return {
    quantity: quantity, cell: cell, cellText: cellText, column: column, isNumeric: isNumeric, varies: varies, kernelsOf: kernelsOf, svg: svgOf, escaped: escaped, grouped: grouped,
    ofResult: ofResult, ofTable: [errors, predicted], ofReport: { curves: curves, pareto: pareto, parallel: parallel },
    /// Each chart as [name, SVG].
    files: function (report, style) { return drawn(report, report.rows).map(function (one) { return [one.file, svgOf(one, style)]; }); },
    /// All charts below each other, as one; of a sweep those of its first point alone.
    sheet: function (report, style) {
      var y = 0, svg = "";
      drawn(report, swept(report).length ? 1 : report.rows).forEach(function (one) {
        svg += label(0, y + 16, one.file.replace(/\.?[^.]*$/, "") + (/\./.test(one.file) ? ": " : "") + one.title, "title") + tag("g", { transform: "translate(0," + (y + 28) + ")" }, one.svg);
        y += Math.ceil(one.height) + 52;
      });
      return y ? [["all", svgOf({ title: "charts", width: 900, height: y, svg: svg }, style)]] : [];
    }
  };
})();
