# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens a report in Chromium without a screen and looks at what it draws.

usage: browser.py PAGE ROWS "CHART…" [light] [dark]: how many results, the charts that the page has, and screenshots to keep.

Where AXE_CORE names the script of axe-core, its rules are asked as well.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

# Runs behind the scripts of the page, in a copy of it.
PROBE = """<script>
const found = {opened: performance.now(), problems: []};
const check = (good, what) => { if (!good) found.problems.push(what); };
const all = (selector) => [...document.querySelectorAll(selector)];
const luminance = (color) => { const [r, g, b] = color.match(/[\\d.]+/g).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((a, b) => b - a); return (x + .05) / (y + .05); };
// The table sorts in both directions.
const head = [...all(".sorted thead th")].find((th) => th.textContent === "latency");
if (head) {
  head.querySelector("button").click();
  check(head.getAttribute("aria-sort") === "ascending", "no ascending order");
  const top = () => document.querySelector(".sorted tbody tr").textContent;
  const least = top();
  head.querySelector("button").click();
  check(head.getAttribute("aria-sort") === "descending", "no descending order");
  check(ROWS < 2 || top() !== least, "the order does not change");
}
// Points are selected by numbers.
const input = all("fieldset input").find((one) => one.getAttribute("aria-label") === "latency to");
if (input) {
  input.value = "1e-300"; input.dispatchEvent(new Event("change"));
  check(all("#sweep ~ fieldset [role=status]")[0].textContent === "0 points selected", "nothing is selected: " + all("[role=status]")[0].textContent);
  all("fieldset button").at(-1).click();
}
// Others can be chosen for the axes.
for (const select of all("#sweep ~ div select")) { select.selectedIndex = 0; select.dispatchEvent(new Event("change")); }
// Each chart has a name and its figures as a table.
found.charts = all("figure svg").map((svg) => svg.getAttribute("aria-label"));
check(all("figure svg").every((svg) => svg.getAttribute("role") === "img" && svg.getAttribute("aria-label")), "a chart without a name");
check(all("figure svg *").every((one) => ![...one.attributes].some((a) => /NaN|undefined|Infinity/.test(a.value))), "a figure that is none");
for (const details of all("figure details")) { details.open = true; details.dispatchEvent(new Event("toggle")); }
// What one can do has a name, is reached by the keyboard and stands once; headings and heads of tables say what they are.
check(all("button, select, input, a").every((one) => one.textContent.trim() || one.getAttribute("aria-label") || one.closest("label")), "a control without a name");
check(all("th").every((th) => th.scope), "a head without a scope");
check(new Set(all("[id]").map((one) => one.id)).size === all("[id]").length, "an id twice");
check(document.documentElement.lang === "en" && all("h1").length === 1 && document.querySelector("main"), "no outline");
// What is larger than its place can be scrolled by the keyboard.
const scrolls = (one) => { const style = getComputedStyle(one); return (/auto|scroll/.test(style.overflowX) && one.scrollWidth > one.clientWidth) || (/auto|scroll/.test(style.overflowY) && one.scrollHeight > one.clientHeight); };
check(all("main *").filter(scrolls).every((one) => one.tabIndex >= 0), "what scrolls without the keyboard");
// Both colours can be read.
for (const theme of ["light", "dark"]) {
  document.documentElement.dataset.theme = theme;
  const back = getComputedStyle(document.body).backgroundColor;
  for (const one of [document.body, ...all(".note, svg text, a").slice(0, 200)]) {
    const style = getComputedStyle(one), ratio = contrast(one instanceof SVGElement ? style.fill : style.color, back);
    if (ratio < 4.5) { check(false, theme + ": contrast " + ratio.toFixed(1) + " of " + one.textContent.slice(0, 30)); break; }
  }
}
document.documentElement.dataset.theme = THEME;
const tell = () => { document.body.append(Object.assign(document.createElement("pre"), {id: "found", textContent: JSON.stringify(found)}));
if (SHOT) document.getElementById("found").remove(); };
if (!window.axe || SHOT) tell();
else axe.run().then(({violations}) => {
  for (const one of violations)
    check(!["serious", "critical"].includes(one.impact), one.id + ": " + one.nodes[0].html);
  tell();
});
</script></body>"""
#: ms that a page may take to open on a machine with other work; docs/performance.md has what it takes on a quiet one.
LONGEST = 20_000


def browse(page, theme, rows, *options):
    copy = page.replace(".html", f".{theme}.probe.html")
    probe = PROBE.replace("THEME", json.dumps(theme)).replace("ROWS", rows).replace("SHOT", "true" if "--screenshot" in str(options) else "false")
    if "AXE_CORE" in os.environ:
        with open(os.environ["AXE_CORE"]) as axe:
            probe = "<script>" + axe.read().replace("</script", "<\\/script") + "</script>" + probe
    with open(page) as text, open(copy, "w") as out:
        before, after = text.read().rsplit("</body>", 1)
        out.write(before + probe + after)
    with tempfile.TemporaryDirectory() as profile:
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1240,3600", "--enable-logging=stderr",
                   *(["--virtual-time-budget=100000"] if "AXE_CORE" in os.environ else []), f"--user-data-dir={profile}", *options, "file://" + os.path.abspath(copy)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=400, stdin=subprocess.DEVNULL)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not said, said
    return done.stdout


def look(page, rows):
    text = re.search(r'<pre id="found">(.*?)</pre>', browse(page, "light", rows, "--dump-dom"), re.S)[1]
    return json.loads(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def main(page, rows, charts, *themes):
    found = look(page, rows)
    print(page, found)
    assert not found["problems"], found["problems"]
    assert found["opened"] < LONGEST, found["opened"]
    assert os.path.getsize(page) < 3e6, os.path.getsize(page)
    titles = {"curves": " against ", "pareto": "points", "parallel": "Parallel", "roofline": "Roofline", "energy": "Energy by", "treemap": "Time by kernel",
              "flame": "Flame", "timeline": "Timeline", "errors": "Errors by group", "predicted": "Predicted against"}
    for chart in charts.split():
        assert any(titles[chart] in title for title in found["charts"]), (chart, found["charts"])
    for theme in themes:
        browse(page, theme, rows, f"--screenshot={os.path.abspath(page.replace('.html', f'.{theme}.png'))}")


main(*sys.argv[1:])
