"""picture.py PAGE PNG: the top of a page as a picture, 1,000 pixels wide and light; nothing where there is no Chromium."""
import sys

import chromium

HEIGHT = 860

program = chromium.found()
if program is None:
    print("no picture: there is no chromium (scripts/dependencies browser)")
else:
    browser = chromium.Chromium(program)
    browser.open(sys.argv[1], 1000, height=HEIGHT)
    browser.screenshot(sys.argv[2], HEIGHT)
    browser.close()
