"""What a reader sees of a page in the browser: words that lie on each other, and words that are cut, in any font."""

from tests.browser import Browser

_BOXES = """
(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, holder = node.parentElement;
    if (!node.data.trim() || holder.closest('title, style, script, .unseen')) continue;
    const style = getComputedStyle(holder);
    if (style.visibility != 'visible' || style.opacity == '0' || !holder.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
      for (let above = holder; above; above = above.parentElement) {
        if (above.tagName == 'svg' || getComputedStyle(above).overflowX != 'visible') {
          const edge = above.getBoundingClientRect();
          left = Math.max(left, edge.left); right = Math.min(right, edge.right);
          top = Math.max(top, edge.top); bottom = Math.min(bottom, edge.bottom);
        }
      }
      if (right - left > 1 && bottom - top > 1) found.push([node.data.trim().slice(0, 40), left, top, right, bottom]);
    }
  }
  return found;
})()
"""


def overlaps(browser: Browser, room: float = 2.0) -> list[tuple[str, str]]:
    """Pairs of words that can be seen and lie on each other by more than `room` pixels both ways. O(n²) at worst."""
    boxes = sorted(browser.ask(_BOXES), key=lambda box: box[2])
    assert len(boxes) > 20
    found = []
    for at, (one, left, top, right, bottom) in enumerate(boxes):
        for other, left_2, top_2, right_2, bottom_2 in boxes[at + 1 :]:
            if top_2 > bottom - room:
                break
            if min(right, right_2) - max(left, left_2) > room and min(bottom, bottom_2) - max(top, top_2) > room:
                found.append((one, other))
    return found


def misplaced(browser: Browser, room: float = 0.15) -> list[list[str]]:
    """Words of drawings that reach beyond their drawing, and pairs of them that lie on each other.

    Boxes of text are as high as its line, which letters are not: `room` is the share of it that may be common.
    """
    found: list[list[str]] = browser.ask(_MISPLACED.replace("ROOM", str(room)))
    return found


_MISPLACED = """
[...document.querySelectorAll("figure svg")].flatMap(svg => {
  const all = svg.getBoundingClientRect(), found = [];
  const boxes = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()])
    .filter(([text, box]) => text && box.width);
  for (const [text, a] of boxes)
    if (a.left < all.left - 1 || a.right > all.right + 1 || a.top < all.top - 1 || a.bottom > all.bottom + 1)
      found.push(["cut", text]);
  boxes.forEach(([one, a], i) => { for (const [other, b] of boxes.slice(i + 1))
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > ROOM * Math.min(a.height, b.height))
      found.push([one, other]); });
  return found;
})
"""

_OTHER = "body, svg text { font-family: %s !important; } .part svg text.name { font-family: %s !important; }"
FONTS = {
    # As high as Noto Sans, whose lines are the highest of fonts that systems come with.
    "high": """
        @font-face { font-family: High; src: local("DejaVu Sans"); ascent-override: 107%; descent-override: 29%; }
        @font-face { font-family: High Mono; src: local("DejaVu Sans Mono"); ascent-override: 107%;
          descent-override: 29%; }
    """
    + _OTHER % ('High, "DejaVu Sans"', 'High Mono, "DejaVu Sans Mono"'),
    "serif": _OTHER % ('"DejaVu Serif"', '"DejaVu Sans Mono"'),
    # As narrow as Arial Narrow.
    "narrow": """
        @font-face { font-family: Narrow; src: local("DejaVu Sans"); size-adjust: 72%; }
    """
    + _OTHER % ("Narrow", "Narrow"),
}
"""Styles that give a page the letters of other readers."""


def wear(browser: Browser, font: str) -> None:
    """Let the page that is open be seen in a font of `FONTS`, until another is opened."""
    browser.ask(
        "document.getElementById('worn')?.remove();"
        f"document.head.insertAdjacentHTML('beforeend', `<style id='worn'>{FONTS[font]}</style>`);"
        "document.body.offsetHeight; document.fonts.ready.then(() => document.body.offsetHeight)"
    )
