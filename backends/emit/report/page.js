// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of a report: tables that sort, the charts of charts.js, and a selection of points that
// charts and table share.
(function () {
  "use strict";
  const report = JSON.parse(document.getElementById("data").textContent);
  const { quantity, cell, cellText, column, isNumeric, varies, kernelsOf, grouped } = perfcCharts;
  const main = document.querySelector("main");

  /// An element; `attributes` may have listeners, and `inside` is text or elements.
  function make(name, attributes = {}, ...inside) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (typeof value === "function") element.addEventListener(key, value);
      else if (value !== undefined && value !== false) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  }

  //===-- Theme -----------------------------------------------------------------------------===//

  const root = document.documentElement, isDark = matchMedia("(prefers-color-scheme: dark)");
  let theme = null;
  try { theme = localStorage.getItem("perfc-theme"); } catch { /* a file may have no storage */ }
  function showTheme() { root.dataset.theme = theme || (isDark.matches ? "dark" : "light"); }
  function switchTheme() {
    theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("perfc-theme", theme); } catch { /* until it is closed */ }
    showTheme();
  }
  isDark.addEventListener("change", showTheme);
  showTheme();

  //===-- Tables ----------------------------------------------------------------------------===//

  const pageRows = 50;

  /// What may be wider or longer than its place, so that the keyboard has to reach it to scroll.
  function scrolled(caption, table) {
    return make("div", { class: "table", tabindex: 0, role: "region", "aria-label": caption }, table);
  }

  /// A table that sorts by what its heads are pressed for. `columns` have `title`, `value(row)`,
  /// `isNumber`, and `show(row)` for a text or an element.
  function sortedTable(columns, rows, caption) {
    let by = null, ascending = true, shown = pageRows, current = rows;
    const body = make("tbody"), text = make("caption", {}, caption), more = make("button", { type: "button", click: () => { shown += 10 * pageRows; fill(); } });
    const heads = columns.map((one) => make("th", { scope: "col", class: one.isNumber ? "number" : "" },
      make("button", { type: "button", click: () => sort(one) }, one.title)));
    function sort(one) {
      ascending = by === one ? !ascending : true;
      by = one;
      heads.forEach((head, i) => head.setAttribute("aria-sort", columns[i] === by ? (ascending ? "ascending" : "descending") : "none"));
      fill();
    }
    function fill() {
      let sorted = current;
      if (by) {
        const sign = ascending ? 1 : -1, values = new Map(current.map((row) => [row, by.value(row)]));
        sorted = current.slice().sort((a, b) => {
          const left = values.get(a), right = values.get(b);
          if (left === null || right === null) return (left === null) - (right === null);
          return sign * (left < right ? -1 : left > right ? 1 : 0);
        });
      }
      body.replaceChildren(...sorted.slice(0, shown).map((row) => make("tr", {}, ...columns.map((one) => make("td", { class: one.isNumber ? "number" : "" }, one.show(row))))));
      more.hidden = sorted.length <= shown;
      more.textContent = "Show more of " + grouped(sorted.length) + " rows";
    }
    fill();
    const region = scrolled(caption, make("table", { class: "sorted" }, text, make("thead", {}, make("tr", {}, ...heads)), body));
    const element = make("div", {}, region, make("p", { class: "pager" }, more));
    return { element, show(some, about) { current = some; shown = pageRows; text.textContent = about; fill(); } };
  }

  function plainTable(table, caption) {
    const numbers = (text) => { const found = /^[−-]?[\d,.]+/.exec(text); return found ? Number(found[0].replace(/,/g, "")) : text; };
    return sortedTable(table.columns.map((title, i) => {
      const isNumber = i > 0 && table.rows.every((row) => /^[−\-–\d]/.test(String(row[i])));
      return { title, isNumber, value: (row) => (typeof row[i] === "number" ? row[i] : isNumber ? numbers(row[i]) : row[i]), show: (row) => String(row[i]) };
    }), table.rows, caption).element;
  }

  //===-- Charts ----------------------------------------------------------------------------===//

  function picture(chart) {
    const holder = make("div");
    holder.innerHTML = perfcCharts.svg(chart);
    return holder.firstChild;
  }

  /// The chart with its title, and what it shows as a table for who cannot see it.
  function figure(chart, ...controls) {
    const element = make("figure", {}, make("figcaption", {}, chart.title), ...controls, picture(chart));
    if (chart.table && chart.table.rows.length) {
      const details = make("details", { toggle: () => { if (details.children.length === 1) details.append(plainTable(chart.table, chart.title)); } }, make("summary", {}, "As a table"));
      element.append(details);
    }
    return element;
  }

  function picker(title, names, value, change) {
    return make("label", {}, title + " ", make("select", { change: (event) => change(event.target.value) },
      ...names.map((name) => make("option", name === value ? { value: name, selected: "" } : { value: name }, name))));
  }

  /// A chart of all results whose axes can be chosen; `ready` is told of each that is drawn.
  function choosable(name, ready) {
    const options = {}, holder = make("div");
    function draw() {
      const chart = perfcCharts.ofReport[name](report, options);
      if (!chart) return;
      const choose = (axis) => (value) => { options[axis] = value; draw(); holder.querySelector("select").focus(); };
      const controls = make("div", { class: "controls" }, picker("horizontal", chart.xs, chart.x, choose("x")), picker("vertical", chart.ys, chart.y, choose("y")));
      holder.replaceChildren(figure(chart, controls));
      if (ready) ready(chart, holder.querySelector("svg"));
    }
    draw();
    return holder.children.length ? holder : null;
  }

  //===-- The selection ---------------------------------------------------------------------===//

  const filters = new Map(); // by column: a test of a value, and the ends where there are two
  const linked = new Map(); // by chart: what shows the selection
  const rows = d3.range(report.rows);
  let table = null;
  const summary = () => grouped(report.rows) + (report.rows === 1 ? " result" : " results");

  function select() {
    const tests = [...filters].map(([name, filter]) => [column(report, name), filter.test]);
    const some = tests.length ? rows.filter((row) => tests.every(([of, test]) => test(cell(of, row)))) : null;
    for (const show of linked.values()) show(some);
    table.show(some || rows, some ? grouped(some.length) + " of " + summary() + " selected" : summary());
    status.textContent = some ? grouped(some.length) + " points selected" : "";
  }

  function setRange(name, ends) {
    if (ends) filters.set(name, { ends, test: (value) => value !== null && value >= ends[0] && value <= ends[1] });
    else filters.delete(name);
  }
  const status = make("span", { role: "status" });

  /// A part of the chart between two places, in numbers or words of the axis.
  function restrict(one, extent) {
    const name = one.column.name;
    if (!extent) { filters.delete(name); return; }
    if (isNumeric(one.column)) { setRange(name, extent.slice().sort((a, b) => a - b)); return; }
    const words = one.column.cells.words.filter((word) => one.scale(word) >= extent[0] && one.scale(word) <= extent[1]);
    filters.set(name, { test: (value) => words.includes(value) });
  }

  function link(key, chart, svg) {
    const marked = svg.querySelector(".marked");
    linked.set(key, (some) => {
      svg.classList.toggle("filtered", some !== null);
      marked.setAttribute("d", some ? chart.mark(some.slice(0, 2500)) : "");
    });
  }

  /// Lets a rectangle be drawn over the points.
  function brushPoints(chart, svg) {
    link("pareto", chart, svg);
    const [x, y] = chart.scales, brush = d3.svg.brush().x(x.scale).y(y.scale);
    brush.on("brushend", () => {
      const extent = brush.empty() ? null : brush.extent();
      restrict(x, extent && [extent[0][0], extent[1][0]]);
      restrict(y, extent && [extent[0][1], extent[1][1]]);
      select();
    });
    const circles = svg.querySelector("circle");
    d3.select(svg).insert("g", () => circles).attr("class", "brush").call(brush);
  }

  /// Lets a part of each axis be chosen.
  function brushAxes(chart, svg) {
    link("parallel", chart, svg);
    for (const one of chart.scales) {
      const brush = d3.svg.brush().y(one.scale);
      brush.on("brushend", () => { restrict(one, brush.empty() ? null : brush.extent()); select(); });
      d3.select(svg).append("g").attr("class", "brush").attr("transform", "translate(" + one.at + ",0)").call(brush)
        .selectAll("rect").attr("x", -12).attr("width", 24);
    }
  }

  /// The same with the keyboard: the ends of each axis as numbers.
  function rangeInputs(columns) {
    const inputs = columns.map((of) => {
      const ends = [-Infinity, Infinity];
      const input = (which, title) => make("input", { type: "number", step: "any", placeholder: title, "aria-label": of.name + " " + title,
        change: (event) => {
          ends[which] = event.target.value === "" ? (which ? Infinity : -Infinity) : Number(event.target.value);
          setRange(of.name, ends[0] === -Infinity && ends[1] === Infinity ? null : ends.slice());
          select();
        } });
      return make("span", {}, of.name + (of.unit ? " (" + of.unit + ") " : " "), input(0, "from"), " ", input(1, "to"));
    });
    const clear = make("button", { type: "button", click: () => { filters.clear(); for (const one of document.querySelectorAll("fieldset input")) one.value = ""; d3.selectAll(".brush .extent").attr("width", 0); select(); } }, "Show all");
    return make("fieldset", {}, make("legend", {}, "Select points"), make("div", { class: "controls" }, ...inputs, clear, status));
  }

  //===-- Sections --------------------------------------------------------------------------===//

  function section(id, title, ...inside) {
    const found = inside.filter(Boolean);
    if (!found.length) return;
    main.append(make("section", { "aria-labelledby": id }, make("h2", { id }, title), ...found));
    nav.append(make("a", { href: "#" + id }, title));
  }

  const usual = ["latency", "step_time", "ttft", "tpot", "ttft.p99", "tpot.p99", "energy", "power", "utilization", "mfu", "tokens_per_s", "requests_per_s", "goodput", "memory.peak", "area", "cost"];
  const detailOf = new Map(report.results.map((result, i) => [result.row, i]));

  function resultTable() {
    const isSwept = report.columns.some((one) => one.kind === "setting"), isFew = report.rows < 10;
    const isShown = (one) => one.kind === "word" ? one.name === "result" || one.name === "bound" || ((isFew || varies(one)) && !(isSwept && ["subject", "on"].includes(one.name)))
      : one.kind !== "metric" || (usual.includes(one.name) && (isFew || varies(one)));
    const of = report.columns.filter(isShown);
    const columns = of.map((one) => ({ title: one.name, isNumber: isNumeric(one), value: (row) => cell(one, row), show: (row) => {
      if (one.name !== "result" || !detailOf.has(row)) return cellText(one, row);
      return make("a", { href: "#result", click: () => showResult(detailOf.get(row)) }, cellText(one, row) || "result");
    } }));
    table = sortedTable(columns, rows, summary());
    return table.element;
  }

  //===-- One result ------------------------------------------------------------------------===//

  function source(at) {
    if (at === null || at === undefined) return "";
    const line = report.lines[at];
    return make("span", { class: "note" }, " " + line.file + ":" + line.line + " ", make("code", {}, line.text));
  }

  const share = (part, all) => (all > 0 ? (100 * part / all).toFixed(1) + " %" : "");

  /// The longest kernels, and what limits each, down to the lines of source.
  function reasons(result) {
    const kernels = kernelsOf(result.breakdown, 1, []).filter((one) => one.latency > 0).sort((a, b) => b.latency - a.latency), most = 8;
    if (!kernels.length && !result.bounds.length) return null;
    const bounds = result.bounds.filter((bound) => bound.latency > 5e-4 * result.latency).sort((a, b) => b.latency - a.latency);
    const list = make("ol", { class: "reasons" }, ...kernels.slice(0, most).map((one) => {
      const runs = one.runs * (one.part.count || 1), parts = (one.part.parts || []).filter((part) => part.latency > 0).sort((a, b) => b.latency - a.latency);
      return make("li", {}, one.part.label + (runs > 1 ? ", " + grouped(runs) + " times" : "") + ": " + quantity(one.latency, "s") + ", " + share(one.latency, result.latency) +
        (one.part.bound ? ", bound by " + one.part.bound : ""), source(one.part.at),
        make("ul", {}, ...parts.map((part, i) => make("li", {}, (i ? "" : "limited by ") + (part.label.startsWith(part.kind) || part.kind === "launch" ? "" : part.kind + " ") + part.label + ": " + quantity(part.latency * runs, "s"), source(part.at)))));
    }));
    return make("div", {}, make("h3", {}, "Why: the chain of reasons"),
      make("p", {}, result.time + " " + quantity(result.latency, "s") + (result.provider ? ", by " + result.provider : "") + (result.mapping ? " with mapping " + result.mapping : ""), source(result.at)),
      result.formula ? make("p", { class: "note" }, result.formula) : "",
      make("ul", {}, ...bounds.map((bound) => make("li", {}, make("span", { class: "bar", style: "width:" + Math.max(1, 160 * bound.latency / result.latency) + "px" }), share(bound.latency, result.latency) + " of the time " + bound.resource + " limits"))),
      list, kernels.length > most ? make("p", { class: "note" }, "and " + (kernels.length - most) + " shorter ones") : "");
  }

  function resultParts(result) {
    const totals = scrolled("What it comes to", make("table", {}, make("caption", {}, "What it comes to"), make("tbody", {},
      ...result.totals.map(([name, text]) => make("tr", {}, make("th", { scope: "row" }, name.trim()), make("td", {}, text))))));
    const expectations = result.expectations.map((one) => make("p", { class: one.holds ? "holds" : "fails" }, "expect " + one.text + ": " + (one.holds ? "holds" : "does not hold"), source(one.at)));
    const missing = Object.entries(result.not_given).map(([name, why]) => make("li", {}, name + ": " + why));
    const charts = perfcCharts.ofResult.map((draw) => draw(result)).filter(Boolean).map((chart) => figure(chart));
    return [make("h3", {}, result.label + (result.point ? "; " + result.point : "")), totals, ...expectations, ...result.notes.map((note) => make("p", { class: "note" }, "note: " + note)), ...charts, reasons(result),
      missing.length ? make("details", {}, make("summary", {}, "What is not given"), make("ul", {}, ...missing)) : null].filter(Boolean);
  }

  const chosen = make("div");
  let choice = null;
  function showResult(index) {
    chosen.replaceChildren(...resultParts(report.results[index]));
    if (choice) choice.value = String(index);
  }

  function results() {
    if (!report.results.length) return [];
    const names = report.results.map((result) => result.label + (result.point ? "; " + result.point : ""));
    choice = make("select", { change: (event) => showResult(Number(event.target.value)) }, ...names.map((name, i) => make("option", { value: i }, name)));
    showResult(0);
    const left = report.rows - report.results.length;
    return [make("div", { class: "controls" }, make("label", {}, "result ", choice), left ? make("span", { class: "note" }, "details of " + report.results.length + " of " + grouped(report.rows) + " results: of each statement the first and the best") : ""), chosen];
  }

  //===-- The page --------------------------------------------------------------------------===//

  const nav = make("nav", { "aria-label": "sections" });
  const file = document.title.replace(/^perfc: (.*\/)?/, "");
  document.body.prepend(make("header", {}, make("h1", {}, file), nav, make("button", { type: "button", class: "theme", click: switchTheme }, "light / dark")));

  section("card", "Scorecard", ...(report.findings.card || []).flatMap((part) => [make("h3", {}, part.title), make("p", { class: "note" }, part.about), part.rows.length ? plainTable(part, part.title) : make("p", {}, "no rows")]));
  if (report.rows) section("summary", "Summary", resultTable(), report.columns_left_out.length ? make("p", { class: "note" }, "no room for: " + report.columns_left_out.join(", ")) : null,
    ...(report.findings.left_out || []).map((one) => make("p", { class: "note" }, "`require` leaves out " + grouped(one.count) + " of " + grouped(one.of) + ": " + Object.entries(one.require).map(([what, count]) => what + " (" + grouped(count) + ")").join(", "))));
  const parallel = report.rows ? perfcCharts.ofReport.parallel(report) : null, parallelFigure = parallel && figure(parallel);
  const axes = parallel ? parallel.scales.map((one) => one.column).filter(isNumeric) : [];
  if (report.rows) section("sweep", "Sweep", choosable("curves"), choosable("pareto", brushPoints), parallelFigure, axes.length ? rangeInputs(axes) : null);
  if (parallel) brushAxes(parallel, parallelFigure.querySelector("svg"));
  section("validation", "Validation", ...(report.findings.tables || []).flatMap((one) => perfcCharts.ofTable.map((draw) => draw(one)).filter(Boolean).map((chart) => figure(chart))));
  section("result", "Result", ...results());
})();
