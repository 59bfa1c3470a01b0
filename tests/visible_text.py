"""What a reader sees of a page in the browser: words that lie on each other, and words that are cut."""

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


def cut_words(browser: Browser) -> list[str]:
    """Words of drawings that reach beyond their drawing."""
    cut: list[str] = browser.ask(
        "[...document.querySelectorAll('figure svg text')].filter(t => {"
        "const own = t.getBoundingClientRect(), all = t.closest('svg').getBoundingClientRect();"
        "return own.width && (own.left < all.left - 1 || own.right > all.right + 1 ||"
        " own.top < all.top - 1 || own.bottom > all.bottom + 1);"
        "}).map(t => t.textContent)"
    )
    return cut
