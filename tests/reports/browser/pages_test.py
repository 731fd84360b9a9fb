"""Pages as a reader sees them: rendered in Chromium at four widths, light and dark, with the script on and off.

    pages_test.py ATTNCERT FOLDER [certify | PAGE...]    ATTNCERT makes reports in FOLDER, where screenshots go too: small
                                                         ones of every kind, or that of everything; or these pages are
                                                         looked at. Exit status 77: there is no Chromium
"""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium  # noqa: E402

WIDTHS = (390, 768, 1280, 1920)
TALLEST = 6000  # pixels of a screenshot: what a reader looks at first


def measured(browser, page, width, dark, script):
    complaints = browser.open(page, width, dark=dark, script=script)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "measure.js")) as file:
        seen = browser.value(file.read())
    if seen["width"] != width:
        complaints.append("the window is %d wide" % seen["width"])
    if not seen["pictures"]:
        complaints.append("no picture")
    return complaints + seen["found"], seen


# Witnesses in the plane, on a line and of families, formulas with roots, statements of many parts, one that is measured.
CLAIMS = ("theorem1-upper theorem2-lower-literal separability-floor lemma1-any-normalizer theorem1-collapse "
          "perturbation-input-distance perturbation-closed-form lemma2-sqrt2-cap softmax-quarter-over-temperature "
          "softmax-largest-entry jacobian-temperature-scaling").split()
RUNS = {"claims": ["certify", *CLAIMS, "--effort", "quick", "--no-kernels", "--no-real"],
        "kernels": ["accuracy", "--normalizer", "softmax", "sparsemax", "--dtype", "f32", "f16", "--effort", "quick"],
        "model": ["gpt2", "--windows", "1"]}


LARGEST = 3000000  # bytes of the report of everything


def made(attncert, folder, name, arguments):
    run = os.path.join(folder, name)
    shutil.rmtree(run, ignore_errors=True)
    done = subprocess.run([attncert, *arguments, "--out", run], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode not in (0, 3):
        sys.exit("%s ended with %d:\n%s" % (" ".join(arguments), done.returncode, done.stdout[-2000:]))
    return os.path.join(run, "report.html")


def pages_of(attncert, folder, asked):
    if asked == ["certify"]:
        return [made(attncert, folder, "certify", ["certify"])]
    return asked or [made(attncert, folder, *run) for run in RUNS.items()] + [history(attncert, folder)]


# More runs than a table has room for side by side.
def history(attncert, folder):
    runs = os.path.join(folder, "runs")
    for old in (runs, os.path.join(folder, "history")):
        shutil.rmtree(old, ignore_errors=True)
    with open(os.path.join(folder, "kernels", "ledger.json")) as file:
        ledger = json.load(file)
    for run in range(1, 19):
        ledger["timing"]["started"] = "2030-01-%02dT00:00:00Z" % run
        os.makedirs(os.path.join(runs, str(run)))
        with open(os.path.join(runs, str(run), "ledger.json"), "w") as file:
            json.dump(ledger, file)
    subprocess.run([attncert, "history", runs, "--out", os.path.join(folder, "history")], check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(folder, "history", "report.html")


# What the measuring must find, before it is believed that it finds nothing.
BROKEN = """<!doctype html><html lang="en"><head><meta charset="utf-8"/><title>t</title>
<style>body{margin:0;background:#fff;color:#222}</style></head><body>
<details><summary><span class="cell">3</span><br/><span class="name">below its cell</span></summary></details>
<div style="width:2500px">wide</div><div class="numbers" style="line-height:20px"><b>99.9<br/>%</b></div><p style="color:#999">pale</p>
<svg class="plot" role="img" tabindex="0" aria-label="a" viewBox="0 0 100 40" width="100" height="40">
<text x="5" y="20">one</text><text x="8" y="20">two</text><line class="grid" x1="12" y1="0" x2="12" y2="40"/>
<path class="grid" d="M40 0H90M60 0V40"/><text x="50" y="20">in</text></svg>
<svg class="plot" viewBox="0 0 100 40" width="100" height="40"><text x="90" y="20">beyond</text>
<circle r="2"><title>mark</title></circle></svg>
<script>console.error("complaint"); fetch("http://127.0.0.1:9/")</script></body></html>"""
FAULTS = ("wider than what it stands in: DIV", "the page is 2500 wide", "contrast 2.", "text over another", "a number over two lines", "a line through text", "text in a grid", "no mark",
          "text out of its picture", "no accessible name", "a cell above its name", "console: ", "request: http://127.0.0.1:9/")


def misses(browser, folder):
    page = os.path.join(folder, "broken.html")
    with open(page, "w") as file:
        file.write(BROKEN)
    complaints, _ = measured(browser, page, 390, False, True)
    os.remove(page)
    return ["the measuring does not find: " + fault for fault in FAULTS
            if not any(fault in complaint for complaint in complaints)]


# Enter and a double click make a picture as wide as the page, and back; nothing else gets wider for it.
ZOOM = """(() => {
  for (const row of document.querySelectorAll("details")) row.open = true;
  for (const number of document.querySelectorAll(".whole"))
    if (number.getClientRects().length > 1) return [`a number goes over a line: ${number.textContent}`];
  const figures = [...document.querySelectorAll(".figures")].find(group => group.children.length > 1);
  const few = 2;  // pictures, between which there may be text
  if (!figures) return document.querySelectorAll(".plot").length > few ? ["no two pictures side by side"] : [];
  const picture = figures.querySelector(".plot"), wide = () => picture.getBoundingClientRect().width;
  const found = [], before = wide(), room = figures.clientWidth;
  const press = () => picture.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
  const click = () => picture.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}));
  picture.focus();
  for (const [name, zoom] of [["Enter", press], ["a double click", click]]) {
    zoom();
    if (Math.abs(wide() - room) > 1) found.push(`after ${name} a picture is ${wide()} wide in ${room}`);
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth + 0.5) found.push(`after ${name} the page is ${page.scrollWidth} wide`);
    zoom();
    if (Math.abs(wide() - before) > 1) found.push(`${name} once more does not bring a picture back`);
  }
  return found;
})()"""


def judge(browser, page, name, folder):
    failures, texts = [], set()
    for width in WIDTHS:
        for dark in (False, True):
            scheme = "dark" if dark else "light"
            for script in (True, False):
                complaints, seen = measured(browser, page, width, dark, script)
                texts.add(seen["text"])
                where = "%s at %d, %s, script %s: " % (name, width, scheme, "on" if script else "off")
                failures += [where + complaint for complaint in complaints]
            browser.open(page, width, dark=dark)
            failures += ["%s at %d, %s: %s" % (name, width, scheme, one) for one in browser.value(ZOOM)]
            browser.open(page, width, dark=dark)
            height = min(TALLEST, browser.value("document.documentElement.scrollHeight"))
            browser.screenshot(os.path.join(folder, "%s-%d-%s.png" % (name, width, scheme)), height)
    if len(texts) != 1:
        failures.append(name + ": the script changes what is to be read")
    return failures


def main():
    program = chromium.found()
    if program is None:
        print("skipped: there is no chromium (scripts/dependencies browser)")
        return 77
    folder = sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    pages = pages_of(sys.argv[1], folder, sys.argv[3:])
    browser = chromium.Chromium(program)
    failures = misses(browser, folder)
    for page in pages:
        name = os.path.basename(os.path.dirname(os.path.abspath(page))) or os.path.basename(page)
        failures += judge(browser, page, name, folder)
        if os.path.getsize(page) >= LARGEST:
            failures.append("%s has %d bytes, %d are too many" % (name, os.path.getsize(page), LARGEST))
    browser.close()
    for failure in failures[:60]:
        print(failure)
    print("%d pages, %d failures; screenshots in %s" % (len(pages), len(failures), folder))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
