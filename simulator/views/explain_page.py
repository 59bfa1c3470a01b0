"""An event as a page: the sweep step by step, under a slider, for keyboard and mouse; nothing is fetched.

All steps are drawn once; what belongs to some of them says from which to which it is shown, and a few lines of script
show and hide. Without a script the last step is seen.
"""

import json
from collections.abc import Iterator

import numpy as np

from paint.messages import EXPOSED
from simulator.views.explain_figure import SAMPLE, clip_tiles, message_tiles, outline, region_after, steps_in_y
from simulator.views.explanation import Explanation, Step
from simulator.views.labels import apart
from simulator.views.page import escape, make_page
from simulator.views.svg import Axis, Frame, colour

__all__ = ["explain_page"]

_STYLE = """
#steps { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .5rem 0; }
#slider { flex: 1 1 12rem; min-width: 8rem; }
#told { min-height: 3.2em; margin: .3rem 0; font-weight: 600; }
.passing { display: none; }
svg text.name { font-weight: 700; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
tr.now td { background: var(--panel); font-weight: 700; }
tr.later td { color: var(--soft); }
"""

_SCRIPT = """
"use strict";
const told = JSON.parse(document.getElementById("captions").textContent);
const slider = document.getElementById("slider"), text = document.getElementById("told");
const play = document.getElementById("play");
const marks = [...document.querySelectorAll("[data-from]")], rows = [...document.querySelectorAll("tr[data-step]")];
let timer = 0;
function show(step) {
  slider.value = step;
  slider.setAttribute("aria-valuetext", told[step]);
  text.textContent = `Step ${step} of ${told.length - 1}: ${told[step]}`;
  for (const mark of marks) {
    const seen = step >= +mark.dataset.from && step <= +(mark.dataset.to ?? Infinity);
    mark.style.display = seen ? "inline" : "none";
  }
  for (const row of rows) {
    row.classList.toggle("now", +row.dataset.step === step);
    row.classList.toggle("later", +row.dataset.step > step);
  }
}
function stop() { clearInterval(timer); timer = 0; play.textContent = "Play"; }
function go(by) { show(Math.min(told.length - 1, Math.max(0, +slider.value + by))); }
slider.addEventListener("input", () => { stop(); show(+slider.value); });
document.getElementById("back").addEventListener("click", () => { stop(); go(-1); });
document.getElementById("on").addEventListener("click", () => { stop(); go(1); });
play.addEventListener("click", () => {
  if (timer) { stop(); return; }
  if (+slider.value === told.length - 1) show(0);
  play.textContent = "Pause";
  timer = setInterval(() => { go(1); if (+slider.value === told.length - 1) stop(); }, 1100);
});
document.addEventListener("keydown", event => {
  if (event.target === slider || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "ArrowRight") { stop(); go(1); }
  if (event.key === "ArrowLeft") { stop(); go(-1); }
});
document.getElementById("steps").hidden = false;
show(0);
"""


def explain_page(explained: Explanation) -> str:
    """One event as an HTML page that stands alone, with a slider over the steps of its sweep."""
    captions = _captions(explained)
    last = len(captions) - 1
    controls = (
        '<div id="steps" hidden><button id="back" type="button">Back</button>'
        f'<input id="slider" type="range" min="0" max="{last}" value="0" step="1" aria-label="step of the event">'
        '<button id="on" type="button">Next</button><button id="play" type="button">Play</button></div>'
    )
    # Inside a script element only "</" could end it; JSON can write it otherwise.
    data = json.dumps(captions).replace("<", "\\u003c")
    body = f"""<h1>{escape(explained.title)}</h1>
<p>First, event space: objects by x and y; the lists of subscriptions hold the k lowest in their range. Then the
subscription space S: each subscription [l, r] is a point. Move through the event with the slider, the buttons or the
arrow keys.</p>
{controls}
<p id="told" aria-live="polite">{escape(captions[-1])}</p>
<div class="row">
<figure>{_event_space(explained)}<figcaption>Event space. Square: the updated object. Filled dots: objects
that rank above it before and after; hollow ones: the others. Grey: where the sweep looks for
objects that it exposes, named A, B, ... in the order in which it meets them.</figcaption></figure>
<figure>{_subscription_space(explained)}<figcaption>Subscription space. Shaded: the influence region of the updated
object, whose subscriptions hold it. Dashed: messages about it. Coloured: messages about exposed objects. Dots:
{_sampled(explained)}.</figcaption></figure>
</div>
<h2>Messages in order</h2>
{_message_table(explained)}
<script type="application/json" id="captions">{data}</script>"""
    return make_page(explained.title, body, style=_STYLE, script=_SCRIPT)


def _captions(explained: Explanation) -> list[str]:
    """What each position of the slider shows: before the event, each of its steps, and the end of a sweep."""
    captions = [f"before the event. {explained.deed[0].upper()}{explained.deed[1:]}."]
    own = explained.called(explained.object)
    for number, step in enumerate(explained.steps):
        sent = int((explained.step_of == number).sum())
        messages = f"{sent} message{'' if sent == 1 else 's'}"
        if step.cause == EXPOSED:
            met = f"{explained.letter(number)}, {explained.called(step.object)} at x = {step.place.x:.4g}"
            captions.append(
                f"the sweep comes to y = {step.place.y:.4g} and meets {met}, which gains what "
                f"{own} loses: {messages}."
            )
        else:
            captions.append(f"everyone in the shaded region is told of {own}: {messages}.")
    if explained.steps and explained.kind in ("lower", "delete"):
        captions.append(f"nothing else is met on the way: {explained.deed}. The outline is its new region.")
    return captions


def _span(first: int, last: int | None = None) -> str:
    """Attributes of what is shown from one position of the slider to another."""
    return f'data-from="{first}"' + ("" if last is None else f' data-to="{last}" class="passing"')


def _event_space(explained: Explanation) -> str:
    view = explained.view(messages=False)
    axes = (Axis("x", view.l_lo, view.r_hi), Axis("y, smaller ranks first", *explained.heights))
    frame = Frame(*axes, f"Objects in event space; {explained.deed}", height=430)
    for number, box in enumerate(steps_in_y(explained), 1):
        frame.box(box, f'fill="var(--line)" fill-opacity="0.45" stroke="var(--soft)" {_span(number + 1)}')
    for i in np.flatnonzero(explained.in_event_space()).tolist():
        above = explained.y[i] < min(explained.before.y, explained.after.y)
        fill = "var(--ink)" if above else "var(--paper)"
        tip = f"{explained.called(i)}: x = {explained.x[i]:.4g}, y = {explained.y[i]:.4g}"
        frame.dot(explained.x[i], explained.y[i], 4, f'fill="{fill}" stroke="var(--ink)"', tip)
    for number, step in enumerate(explained.steps):
        if step.cause == EXPOSED:
            frame.add(f"<g {_span(number + 1)}>")
            shade = colour(explained.exposed.index(step.object))
            style = f'fill="var(--paper)" stroke="{shade}" stroke-width="3"'
            frame.dot(*step.place, 11, style, explained.called(step.object))
            frame.text(*step.place, explained.letter(number), 'text-anchor="middle" dy="5" font-weight="700"')
            frame.add("</g>")
    for first, last, x, y in _whereabouts(explained):
        left, upper = frame.x(x) - 6, frame.y(y) - 6
        style = 'fill="var(--strong)" stroke="var(--paper)" stroke-width="1.5"'
        frame.add(f'<rect x="{left}" y="{upper}" width="12" height="12" {style} {_span(first, last)}/>')
    return frame.svg()


def _whereabouts(explained: Explanation) -> Iterator[tuple[int, int | None, float, float]]:
    """Positions of the slider, first and last, and where the updated object is then."""
    sweeps = bool(steps_in_y(explained))
    x, y = explained.before if np.isfinite(explained.before.y) else explained.after
    moments = [(0, x, explained.before.y)]
    if sweeps:
        moments += [
            (number + 1, x, step.place.y) for number, step in enumerate(explained.steps) if step.cause == EXPOSED
        ]
    end = len(explained.steps) + (explained.kind in ("lower", "delete"))
    moments.append((max(end, 1), explained.after.x, explained.after.y))
    for at, (first, x, y) in enumerate(moments):
        last = moments[at + 1][0] - 1 if at + 1 < len(moments) else None
        yield first, last, x, y


def _subscription_space(explained: Explanation) -> str:
    view = explained.view()
    axes = (Axis("l", view.l_lo, view.l_hi), Axis("r", view.r_lo, view.r_hi))
    frame = Frame(*axes, f"Messages of {explained.approach} in subscription space", height=430)
    lo, hi = max(view.l_lo, view.r_lo), min(view.l_hi, view.r_hi)
    if lo < hi:
        ends = f'x1="{frame.x(lo)}" y1="{frame.y(lo)}" x2="{frame.x(hi)}" y2="{frame.y(hi)}"'
        frame.add(f'<line {ends} stroke="var(--ink)"/>')
    cells = explained.levels_before
    frame.add(f"<g {_span(0, 0)}>")
    for box, level in zip(clip_tiles(cells, view), cells[:, 4].astype(int).tolist(), strict=True):
        frame.box(
            box.tolist(),
            f'fill="var(--accent)" fill-opacity="{0.5 - 0.4 * level / explained.k:.2f}" stroke="var(--soft)"',
            f"rank {level} in the lists here",
        )
        _name(frame, box.tolist(), str(level))
    frame.add("</g>")
    for number, step in enumerate(explained.steps, 1):
        _region(frame, explained, step, number)
    _subscriptions(frame, explained)
    for at, box in enumerate(clip_tiles(message_tiles(explained), view).tolist()):
        number = int(explained.step_of[at])
        letter = explained.letter(number) if explained.steps else ""
        frame.add(f"<g {_span(number + 1)}>")
        if letter:
            shade = colour(explained.exposed.index(explained.steps[number].object))
            style = f'fill="{shade}" fill-opacity="0.35" stroke="{shade}" stroke-width="1.5"'
        else:
            style = 'fill="none" stroke="var(--strong)" stroke-width="2" stroke-dasharray="6 3"'
        frame.box(box, style, f"message {at + 1} about {explained.called(int(explained.messages[at]['object']))}")
        _name(frame, box, f"{at + 1}{letter}", corner=not letter)
        frame.add("</g>")
    return frame.svg()


def _region(frame: Frame, explained: Explanation, step: Step, number: int) -> None:
    """What the updated object has after a step; its outline from the last one on."""
    final = number == len(explained.steps)
    corners = outline(step.region if not final else region_after(explained), explained.view())
    points = " ".join(f"{frame.x(l)},{frame.y(r)}" for l, r in corners.tolist())
    if points:
        span = _span(number, None if final else number)
        style = 'fill="var(--accent)" fill-opacity="0.25" stroke="var(--ink)" stroke-width="2.5"'
        frame.add(f'<polygon points="{points}" {style} {span}/>')


def _subscriptions(frame: Frame, explained: Explanation) -> None:
    sample = explained.sample(SAMPLE)
    first = np.full(len(explained.l), -1)
    for at in range(len(explained.messages) - 1, -1, -1):
        first[explained.reached(at)] = explained.step_of[at] + 1
    for s in sample.tolist():
        l, r, step = float(explained.l[s]), float(explained.r[s]), int(first[s])
        tip = f"subscription {s}: [{l:.4g}, {r:.4g}]"
        frame.dot(l, r, 2, 'fill="none" stroke="var(--soft)"', tip)
        if step > 0:
            frame.dot(l, r, 2.6, f'fill="var(--ink)" {_span(step)}', tip)


def _name(frame: Frame, box: list[float], text: str, *, corner: bool = False) -> None:
    """Write into a rectangle if there is room."""
    l_lo, l_hi, r_lo, r_hi = box
    if frame.x(l_hi) - frame.x(l_lo) < 9 * len(text) or frame.y(r_lo) - frame.y(r_hi) < 14:
        return
    if corner:
        frame.text(l_lo, r_hi, text, 'class="name" dx="4" dy="15"')
    else:
        frame.text((l_lo + l_hi) / 2, (r_lo + r_hi) / 2, text, 'class="name" text-anchor="middle" dy="5"')


def _sampled(explained: Explanation) -> str:
    sample, known = len(explained.sample(SAMPLE)), int(np.isfinite(explained.l).sum())
    return f"{sample:,} of {known:,} subscriptions, filled when a message has reached them"


def _known(explained: Explanation, i: int) -> str:
    return "-" if i < 0 else explained.called(int(i)).removeprefix("object ")


def _message_table(explained: Explanation) -> str:
    if explained.unicast:
        head = "<th>message</th><th>subscription</th><th>takes out</th><th>puts in</th>"
        cells = (
            [row["subscription"], *(_known(explained, row[key]) for key in ("dropped", "object"))]
            for row in explained.messages
        )
    else:
        head = "<th>message</th><th>object</th><th>y</th><th>l</th><th>r</th><th>subscriptions</th>"
        cells = (
            [
                f"{_known(explained, row['object'])} {explained.letter(int(explained.step_of[at]))}",
                f"{row['y']:.4g}",
                "({}, {}]".format(*apart(row["l_out"], row["l_in"])),
                "[{}, {})".format(*apart(row["r_in"], row["r_out"])),
                f"{int(explained.reached(at).sum()):,}",
            ]
            for at, row in enumerate(explained.messages)
        )
    rows = [
        f'<tr data-step="{explained.step_of[at] + 1}"><td>{at + 1}</td>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in line)
        + "</tr>"
        for at, line in enumerate(cells)
    ]
    if not rows:
        return "<p>None: nobody's list changes.</p>"
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="messages in order">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
