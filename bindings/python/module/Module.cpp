// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc._native: libperfc's types as Python sees them. What the package adds to them is Python.
#include "bindings/python/module/Loaded.h"
#include "bindings/python/module/ProgressCall.h"
#include "bindings/python/module/Record.h"
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace perfc;
using namespace perfc::python;

/// None for nowhere.
static std::optional<api::Place> somewhere(const api::Place &place) {
  return place.line ? std::optional<api::Place>(place) : std::nullopt;
}

/// None where a metric is a word, or not given.
static std::optional<double> numberOf(const api::Metric &metric) {
  return metric.hasNumber() ? std::optional<double>(metric.value) : std::nullopt;
}

/// The ends of the central 90 %.
static std::optional<std::pair<double, double>> intervalOf(const api::Metric &metric) {
  if (!metric.hasNumber())
    return std::nullopt;
  return std::make_pair(metric.value - metric.halfWidth, metric.value + metric.halfWidth);
}

static py::dict metricsOf(const api::Result &result) {
  py::dict metrics;
  for (const api::Metric &metric : result.metrics)
    metrics[py::str(metric.name)] = py::cast(metric);
  return metrics;
}

/// By name; numbers where they are some.
static py::dict pointOf(const Settings &settings) {
  py::dict point;
  for (const api::Setting &setting : settings)
    point[py::str(setting.name)] =
        setting.value ? py::cast(*setting.value) : py::cast(setting.text);
  return point;
}

static void declareProblems(py::module_ &module) {
  Record<api::Place>(module, "Place")
      .field("file", &api::Place::file)
      .field("line", &api::Place::line)
      .field("column", &api::Place::column);
  Record<api::Problem>(module, "Problem")
      .field("severity", &api::Problem::severity)
      .field("code", &api::Problem::code)
      .field("message", &api::Problem::message)
      .computed("place", [](const api::Problem &self) { return somewhere(self.place); })
      .field("remarks", &api::Problem::remarks);
  Record<Findings>(module, "Findings")
      .computed("point", [](const Findings &self) { return pointOf(self.point); })
      .field("problems", &Findings::problems)
      .field("text", &Findings::text)
      .field("is_error", &Findings::isError);
}

static void declareTraces(py::module_ &module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  Record<api::Traces>(module, "Traces")
      .field("declaration", &api::Traces::declaration)
      .field("subject", &api::Traces::subject)
      .field("is_replayed", &api::Traces::isReplayed)
      .field("problems", &api::Traces::problems)
      .field("text", &api::Traces::text);
  module.def("trace_formats", &api::traceFormats, Free());
  module.def("read_traces", &api::readTraces, Free());
}

static void declareDeclarations(py::module_ &module) {
  Record<api::Parameter>(module, "Parameter")
      .field("name", &api::Parameter::name)
      .field("documentation", &api::Parameter::documentation)
      .field("value", &api::Parameter::value)
      .field("unit", &api::Parameter::unit)
      .field("values", &api::Parameter::values)
      .computed("place", [](const api::Parameter &self) { return somewhere(self.place); });
  Record<api::Answer>(module, "Declaration")
      .field("name", &api::Answer::name)
      .field("kind", &api::Answer::kind)
      .field("declaration", &api::Answer::declaration)
      .field("module", &api::Answer::module)
      .field("value", &api::Answer::value)
      .field("documentation", &api::Answer::documentation)
      .computed("place", [](const api::Answer &self) { return somewhere(self.place); });
}

static void declareParts(py::module_ &module) {
  Record<api::Metric>(module, "Metric")
      .field("name", &api::Metric::name)
      .field("unit", &api::Metric::unit)
      .computed("value", numberOf)
      .field("half_width", &api::Metric::halfWidth)
      .field("text", &api::Metric::text)
      .field("not_given", &api::Metric::notGiven)
      .computed("interval", intervalOf);
  Record<api::Memory>(module, "Memory")
      .field("name", &api::Memory::name)
      .field("is_off_chip", &api::Memory::isOffChip)
      .field("read_bytes", &api::Memory::readBytes)
      .field("write_bytes", &api::Memory::writeBytes)
      .field("latency", &api::Memory::latency)
      .field("energy", &api::Memory::energy);
  Record<api::Search>(module, "Search")
      .field("goal", &api::Search::goal)
      .field("value", &api::Search::value)
      .field("bound", &api::Search::bound)
      .field("is_proven", &api::Search::isProven)
      .field("evaluated", &api::Search::evaluated)
      .field("mappings", &api::Search::mappings);
  Record<api::Member>(module, "Member")
      .field("provider", &api::Member::provider)
      .field("latency", &api::Member::latency)
      .field("half_width", &api::Member::halfWidth)
      .field("weight", &api::Member::weight);
  Record<api::Expectation>(module, "Expectation")
      .field("text", &api::Expectation::text)
      .field("holds", &api::Expectation::holds)
      .field("probability", &api::Expectation::probability)
      .computed("place", [](const api::Expectation &self) { return somewhere(self.place); });
  Record<api::Table::Row>(module, "Row")
      .field("label", &api::Table::Row::label)
      .field("cells", &api::Table::Row::cells);
  Record<api::Table>(module, "Table")
      .field("name", &api::Table::name)
      .field("by", &api::Table::by)
      .field("columns", &api::Table::columns)
      .field("rows", &api::Table::rows);
  Record<api::Part>(module, "Part")
      .field("label", &api::Part::label)
      .field("kind", &api::Part::kind)
      .computed("place", [](const api::Part &self) { return somewhere(self.place); })
      .field("count", &api::Part::count)
      .field("latency", &api::Part::latency)
      .field("energy", &api::Part::energy)
      .field("macs", &api::Part::macs)
      .field("flops", &api::Part::flops)
      .field("bytes", &api::Part::bytes)
      .field("utilization", &api::Part::utilization)
      .field("bound", &api::Part::bound)
      .field("provider", &api::Part::provider)
      .field("mapping", &api::Part::mapping)
      .field("parts", &api::Part::parts);
}

static void declareResult(py::module_ &module) {
  Record<api::Result>(module, "Result")
      .field("statement", &api::Result::statement)
      .field("name", &api::Result::name)
      .field("label", &api::Result::label)
      .field("subject", &api::Result::subject)
      .field("on", &api::Result::on)
      .computed("point", [](const api::Result &self) { return pointOf(self.point); })
      .computed("place", [](const api::Result &self) { return somewhere(self.place); })
      .computed("metrics", metricsOf)
      .field("breakdown", &api::Result::breakdown)
      .field("memories", &api::Result::memories)
      .field("search", &api::Result::search)
      .field("ensemble", &api::Result::ensemble)
      .field("expectations", &api::Result::expectations)
      .field("tables", &api::Result::tables)
      .field("notes", &api::Result::notes)
      .field("provider", &api::Result::provider)
      .field("mapping", &api::Result::mapping)
      .field("formula", &api::Result::formula)
      .forward("_repr_html_", "perfc.display", "result_html")
      .python.def("__getitem__", [](const api::Result &self, const std::string &name) {
        if (const api::Metric *metric = self.find(name))
          return *metric;
        throw py::key_error("a result of `" + self.statement + "` has no metric `" + name + "`");
      });
}

static void declareResults(py::module_ &module) {
  py::enum_<Results::Of>(module, "Of")
      .value("METRIC", Results::Of::Metric)
      .value("HALF_WIDTH", Results::Of::HalfWidth)
      .value("SETTING", Results::Of::Setting);
  py::class_<Results, std::shared_ptr<Results>>(module, "Results")
      .def("__len__", [](const Results &self) { return self.all().size(); })
      .def(
          "at", [](const Results &self, size_t i) { return &self.all().at(i); },
          py::return_value_policy::reference_internal)
      .def_readonly("is_interrupted", &Results::isInterrupted)
      .def_property_readonly("tables", &Results::tables)
      .def_property_readonly("findings", &Results::findings)
      .def("metric_names", &Results::metricNames)
      .def("setting_names", &Results::settingNames)
      .def("column", [](py::object self, Results::Of of, const std::string &name) {
        const std::vector<double> &column = self.cast<Results &>().column(of, name);
        py::array_t<double> shown(column.size(), column.data(), /*base=*/self);
        shown.attr("flags").attr("writeable") = false;
        return shown;
      });
}

/// Runs without Python's lock, which `progress`, a function or None, is called with.
static std::shared_ptr<Results> sweepOf(Loaded &program, const std::vector<Axis> &axes,
                                        const api::RunSettings &settings, bool endsOnInterrupt,
                                        py::object progress) {
  ProgressCall call(program, std::move(progress));
  std::shared_ptr<Results> results;
  {
    py::gil_scoped_release free;
    results = program.sweep(axes, settings, endsOnInterrupt, call.listener());
  }
  call.finish();
  return results;
}

static void declareProgram(py::module_ &module) {
  py::enum_<api::Statements>(module, "Statements")
      .value("ALL", api::Statements::All)
      .value("SEARCHES", api::Statements::Searches)
      .value("SWEEPS", api::Statements::Sweeps);
  py::class_<api::RunSettings>(module, "RunSettings")
      .def(py::init<>())
      .def_readwrite("which", &api::RunSettings::which)
      .def_readwrite("threads", &api::RunSettings::threads)
      .def_readwrite("seed", &api::RunSettings::seed)
      .def_readwrite("within", &api::RunSettings::within)
      .def_readwrite("writes_files", &api::RunSettings::writesFiles);
  py::class_<Progress>(module, "Progress")
      .def_readonly("what", &Progress::what)
      .def_readonly("done", &Progress::done)
      .def_readonly("total", &Progress::total)
      .def_readonly("best", &Progress::best);
  using Free = py::call_guard<py::gil_scoped_release>;
  py::class_<Loaded>(module, "Program")
      .def_static(
          "load",
          [](std::string text, const std::string &name, const api::Program::Defines &defines) {
            return std::make_unique<Loaded>(api::Program::load(std::move(text), name, defines));
          },
          Free())
      .def_static(
          "load_file",
          [](const std::string &path, const api::Program::Defines &defines) {
            return std::make_unique<Loaded>(api::Program::loadFile(path, defines));
          },
          Free())
      .def("findings", &Loaded::findings, Free())
      .def("check", &Loaded::check, Free())
      .def("parameters", &Loaded::parameters, Free())
      .def("sweep", sweepOf, py::arg("axes"), py::arg("settings"), py::arg("ends_on_interrupt"),
           py::arg("progress"))
      .def("cancel", &Loaded::cancel)
      .def("format", &Loaded::format, Free())
      .def("ir", &Loaded::ir, Free());
}

PYBIND11_MODULE(_native, module) {
  declareProblems(module);
  declareTraces(module);
  declareDeclarations(module);
  declareParts(module);
  declareResult(module);
  declareResults(module);
  declareProgram(module);
  module.def("library", &api::library, py::call_guard<py::gil_scoped_release>());
  module.def("version", &api::version);
}
